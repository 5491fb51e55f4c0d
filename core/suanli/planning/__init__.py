"""From a sizing to things to buy: servers, network, storage, racks, power, a bill of quantities."""
