"""Cost of serving: servers for a peak rate, and what prompts and tokens cost on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from suanli.domain.units import HOURS_PER_YEAR, S_PER_HOUR
from suanli.finance.amounts import exact, require

if TYPE_CHECKING:
    from suanli.finance.amounts import Amount

__all__ = ["InferenceServer", "Serving", "ServingCost", "server_year", "serving_cost"]

_PER_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class InferenceServer:
    """A server and what it costs in a year."""

    price: Amount
    accelerators: int
    life_years: Amount
    licence_per_accelerator_year: Amount = 0
    hosting_per_year: Amount = 0
    """Space, power and cooling."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What is served, and how fast one instance of the model serves it."""

    peak_requests_per_s: float
    requests_per_s_per_instance: float
    accelerators_per_instance: int
    input_tokens: float
    """Of a request."""
    output_tokens: float
    input_price: Amount
    """Price of an input token anywhere, as a weight against that of an output token."""
    output_price: Amount
    hours_per_year: float = HOURS_PER_YEAR


@dataclass(frozen=True, slots=True)
class ServingCost:
    """Servers and cost of serving; a fractional number of servers is the share that a model has of them."""

    instances: float
    servers: float
    """Fractional."""
    whole_servers: int
    """As a quotation has them."""
    server_year: Decimal
    year: Decimal
    """Of the fractional servers."""
    whole_year: Decimal
    """Of the whole servers."""
    per_1000_prompts: Decimal
    """At full use of an instance's rate."""
    per_million_input_tokens: Decimal
    per_million_output_tokens: Decimal
    whole_per_1000_prompts: Decimal
    """At the peak rate on whole servers, all year round."""


def server_year(server: InferenceServer) -> Decimal:
    """Return what a server costs in a year, P / L + l n + h.

    Raises:
        InputError: the server has no life.

    >>> server_year(InferenceServer(300_000, 8, 3, 4_500, 20_000))
    Decimal('156000')
    """
    require(server.life_years > 0, "a server without a life cannot be spread", "its life is above 0 years")
    licence = server.accelerators * Decimal(server.licence_per_accelerator_year)
    return Decimal(server.price) / server.life_years + licence + server.hosting_per_year


def serving_cost(server: InferenceServer, serving: Serving) -> ServingCost:
    """Return instances, servers and the cost of prompts and tokens.

    Instances = Q / q; servers = instances * g / n; cost of a request = server-year / (q * n / g * seconds of
    a year). Input and output tokens share it in the ratio of prices: c_in = C w_in / (i w_in + o w_out).

    Raises:
        InputError: rates or token prices are not above 0, or an instance does not fit into a server's
            accelerators.

    >>> cost = serving_cost(InferenceServer(300_000, 8, 3), Serving(10, 2.0, 4, 1_000, 100, 1, 3))
    >>> cost.servers, cost.whole_servers, cost.whole_year
    (2.5, 3, Decimal('300000'))
    """
    _require_rates(server, serving)
    instances = serving.peak_requests_per_s / serving.requests_per_s_per_instance
    servers = instances * serving.accelerators_per_instance / server.accelerators
    # A rate that fits exactly must not become one server more by noise in the last digit.
    whole = math.ceil(round(servers, 9))
    year = server_year(server)
    seconds = serving.hours_per_year * S_PER_HOUR
    served = serving.requests_per_s_per_instance * server.accelerators / serving.accelerators_per_instance
    request = year / exact(served * seconds)
    weight = request / _weights(serving)
    return ServingCost(
        instances=instances,
        servers=servers,
        whole_servers=whole,
        server_year=year,
        year=year * exact(servers),
        whole_year=year * whole,
        per_1000_prompts=request * 1000,
        per_million_input_tokens=weight * serving.input_price * _PER_MILLION,
        per_million_output_tokens=weight * serving.output_price * _PER_MILLION,
        whole_per_1000_prompts=year * whole / exact(serving.peak_requests_per_s * seconds) * 1000,
    )


def _weights(serving: Serving) -> Decimal:
    return (
        exact(serving.input_tokens) * serving.input_price
        + exact(serving.output_tokens) * serving.output_price
    )


def _require_rates(server: InferenceServer, serving: Serving) -> None:
    require(
        min(serving.peak_requests_per_s, serving.requests_per_s_per_instance, serving.hours_per_year) > 0,
        "nothing is served",
        "peak rate, rate of an instance and hours of a year are above 0",
    )
    require(
        min(serving.accelerators_per_instance, server.accelerators) >= 1,
        "an instance runs on no accelerator",
        "an instance and a server have at least one",
    )
    require(_weights(serving) > 0, "tokens that weigh nothing share no cost", "tokens and prices are above 0")
