/* Each part stands alone: the page is whole without any of them. */
optionsTable();
contents();
sources();
copying();
scrolling();
