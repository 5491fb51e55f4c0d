"""The hall of a cluster: racks, rows, circuits, cooling, floor and PUE, all counted from the bill's boxes."""
