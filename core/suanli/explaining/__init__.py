"""The worked path of a duration and of a memory figure, line by line, down to data sheets and fits."""
