"""A small project that uses every feature of the ledger: tariff, payments, exchange rate, rent, staff."""

from __future__ import annotations

__all__ = ["FULL_PROJECT"]

FULL_PROJECT = """
project: {name: 台账全项, client: 示例集团, date: 2026-11-30, languages: [zh, en]}
scenario: finetune-lora
model: llama-2-13b
workload: {task: lora, tokens: 400M, epochs: 3, deadline: 3 days, runs_per_year: 12, lora: {rank: 16}}
site:
  region: CN-GD
  pue: 1.35
  planned_downtime: 120 h
  tariff:
    - {period: 谷, hours: 8, price: 0.31 CNY/kWh}
    - {period: 平, hours: 10, price: 0.62 CNY/kWh}
    - {period: 峰, hours: 6, price: 1.05 CNY/kWh}
vendors: {consider: [ascend, nvidia], accelerators: [ascend-910b3, h20], delivery_region: CN}
cluster: {spare_nodes: 1}
commercial:
  currency: CNY
  horizon: 3 years
  discount_rate: 6.5%
  vat: {goods: 13%, works: 9%, services: 6%}
  fx: [{pair: USD/CNY, rate: 7.10, date: 2026-11-28, source: central parity}]
  depreciation_years: 4
  residual: 5%
  warranty_years: 1
  staff: {posts: 1.5, cost: 300k CNY}
  milestones:
    - {name: 预付款, share: 30%}
    - {name: 到货, share: 50%, after: 90 days}
    - {name: 终验, share: 15%, after: 240 days}
    - {name: 质保金, share: 5%, after: 760 days}
  rent: {price: 25 CNY, commitment: 1 years}
  delivery: 4 months
  insurance: 0.3%
  decommissioning: 1%
  escalation: {electricity: 2%, staff: 4%, services: 3%}
  financing: {method: level, share: 60%, rate: 3.5%, term: 20 months, grace: 3 months}
  serving: {tokens_per_s_per_accelerator: 800, utilisation: 60%}
"""
