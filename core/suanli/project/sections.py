"""The sections of the project file: every key, strictly, with what it means in both languages.

A key that is left out is None or empty here; defaults are chosen later, by a scenario, and listed. Keys and
grammar are public: a file that loads today loads with every later version of the same file format.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Self

from pydantic import model_validator

from suanli.domain.workload import Task
from suanli.project import kinds
from suanli.project.claim_section import ClaimKeys  # noqa: TC001 - pydantic reads the annotations
from suanli.project.edit_section import EditKeys  # noqa: TC001 - pydantic reads the annotations
from suanli.project.finance_section import (  # noqa: TC001 - pydantic reads the annotations
    EscalationKeys,
    FinancingKeys,
    ScenariosKeys,
    ServingKeys,
)
from suanli.project.kinds import about
from suanli.project.model_section import Keys, ModelKeys
from suanli.project.quantities import QuantityError
from suanli.project.scoring_section import ScoringKeys  # noqa: TC001 - pydantic reads the annotations
from suanli.project.storage_section import (  # noqa: TC001 - pydantic reads the annotations
    ReliabilitySection,
    StorageSection,
)


class ProjectSection(Keys):
    """Title page and kind of document."""

    name: Annotated[
        kinds.Words,
        about(
            "Name of the project.",
            "项目名称。",
            "Industry model training cluster",
        ),
    ]
    client: Annotated[
        kinds.Words,
        about("Client the document is written for.", "客户名称。", {"zh": "示例集团", "en": "Example Group"}),
    ]
    date: Annotated[
        kinds.Day,
        about(
            "Day of the document; prices older than their validity on this day are marked.",
            "文档日期；至该日已过有效期的价格会被标注。",
            "2026-11-30",
        ),
    ]
    type: Annotated[
        kinds.ProposalKind | None,
        about("Whom the document speaks for.", "文档类型：内部立项、采购需求或投标。", "internal-approval"),
    ] = None
    track: Annotated[
        kinds.TrackKind | None,
        about(
            "Legal track of the purchase; decides headings and terms.",
            "采购适用的法律路径，决定章节与用语。",
            "enterprise",
        ),
    ] = None
    languages: Annotated[
        Annotated[tuple[kinds.Language, ...], kinds.Listed] | None,
        about("Languages of the documents.", "文档语言。", ["zh", "en"]),
    ] = None
    paper: Annotated[kinds.PaperKind | None, about("Paper size of the PDF.", "PDF 的纸张大小。", "A4")] = None
    theme: Annotated[
        kinds.Name | None,
        about(
            "Look of the documents: the name of an installed theme, or a folder relative to this file, "
            "such as ./house.",
            "文档主题：已安装主题的名称，或相对于本文件的目录，如 ./house。",
            "default",
        ),
    ] = None


class LoraKeys(Keys):
    """Adapters of LoRA and QLoRA."""

    rank: Annotated[kinds.Size | None, about("Rank of the adapters.", "适配器的秩。", 16)] = None


class WorkloadSection(Keys):
    """What is trained, on how much, how fast."""

    task: Annotated[kinds.TaskKind | None, about("Kind of training.", "训练类型。", "pretrain")] = None
    tokens: Annotated[
        kinds.TokenCount | None, about("Tokens of one epoch.", "单个轮次的训练词元数。", "2T")
    ] = None
    epochs: Annotated[
        kinds.Number | None, about("Passes over these tokens in one run.", "一次训练中遍历数据的轮次。", 1)
    ] = None
    sequence_length: Annotated[
        kinds.Whole | None, about("Tokens per sequence.", "序列长度（词元）。", 4096)
    ] = None
    global_batch_tokens: Annotated[
        kinds.BatchTokens | None,
        about(
            "Tokens per optimizer step, rounded to whole sequences.",
            "每个优化步的词元数，取整到整条序列。",
            "4M",
        ),
    ] = None
    precision: Annotated[
        kinds.PrecisionKind | None, about("Format of matrix products.", "矩阵乘法的数值格式。", "bf16")
    ] = None
    deadline: Annotated[
        kinds.Duration | None, about("Longest wall-clock time of one run.", "单次训练的期限。", "120 days")
    ] = None
    deadline_confidence: Annotated[
        kinds.Probability | None,
        about("Probability with which the deadline must be met.", "按期完成的概率要求。", "90%"),
    ] = None
    runs_per_year: Annotated[kinds.Number | None, about("Runs per year.", "每年训练次数。", 2)] = None
    stack: Annotated[
        kinds.Name | None,
        about(
            "Training software: tuned, untuned or a stack id.",
            "训练软件栈：tuned、untuned 或软件栈标识。",
            "tuned",
        ),
    ] = None
    capacity_factor: Annotated[
        kinds.Capacity | None,
        about(
            "Tokens a routed expert is padded to, over its even share; none: no padding.",
            "专家容量系数，即补齐后词元数与均分数之比；none 为不补齐、不丢弃。",
            1.25,
        ),
    ] = None
    lora: Annotated[
        LoraKeys | None,
        about("Adapters of LoRA and QLoRA.", "LoRA、QLoRA 适配器。", {"rank": 16}),
        kinds.Section,
    ] = None


class LayoutSection(Keys):
    """Parallel layout: what stands here is fixed, the rest is searched."""

    tp: Annotated[
        kinds.Whole | None,
        about("Tensor parallel size; divides the attention heads.", "张量并行数，须整除注意力头数。", 8),
    ] = None
    pp: Annotated[
        kinds.Whole | None, about("Pipeline stages; at most the layers.", "流水线级数，不超过层数。", 4)
    ] = None
    cp: Annotated[kinds.Whole | None, about("Context parallel size.", "上下文并行数。", 1)] = None
    ep: Annotated[
        kinds.Whole | None,
        about("Expert parallel size; divides the experts.", "专家并行数，须整除专家数。", 8),
    ] = None
    micro_batch_size: Annotated[
        kinds.Whole | None, about("Sequences per micro-batch.", "微批次的序列数。", 1)
    ] = None
    virtual_pipeline: Annotated[
        kinds.Whole | None, about("Virtual stages per device.", "每设备虚拟流水级数。", 2)
    ] = None
    recompute: Annotated[
        kinds.RecomputeKind | None, about("Activation recomputation.", "激活重计算方式。", "selective")
    ] = None
    recompute_layers: Annotated[
        kinds.Whole | None,
        about(
            "Layers of a stage that full recomputation covers; left out: all.",
            "完全重计算覆盖的每级层数，省略为全部。",
            4,
        ),
    ] = None
    zero_stage: Annotated[kinds.ZeroStage | None, about("ZeRO stage, 0 to 3.", "ZeRO 级别，0 至 3。", 1)] = (
        None
    )
    shard_group: Annotated[
        kinds.Whole | None,
        about(
            "Ranks over which ZeRO spreads states, with copies beyond (HSDP).",
            "ZeRO 分片组的卡数，组外为副本（HSDP）。",
            8,
        ),
    ] = None
    offload: Annotated[
        kinds.OffloadKind | None,
        about("States kept in host memory.", "放在主机内存中的状态。", "none"),
    ] = None
    sequence_parallel: Annotated[
        kinds.YesNo | None,
        about("Sequence parallelism beside tensor parallelism.", "张量并行时是否启用序列并行。", "true"),
    ] = None
    loss_chunks: Annotated[
        kinds.Whole | None,
        about(
            "Pieces in which the loss works through the logits; left out: whole.",
            "损失按多少块分段计算输出层，省略为不分块。",
            8,
        ),
    ] = None


class ClusterSection(Keys):
    """What is fixed about the cluster."""

    accelerators: Annotated[
        kinds.Whole | None,
        about("Accelerators at work, where their number is given.", "给定的加速卡数量。", 576),
    ] = None
    spare_nodes: Annotated[kinds.WholeOrZero | None, about("Spare servers.", "备用服务器数。", 2)] = None
    oversubscription: Annotated[
        kinds.Ratio | None, about("Down-links over up-links of the fabric.", "网络收敛比。", 1.0)
    ] = None
    exposed_communication_max: Annotated[
        kinds.Fraction | None,
        about("Largest share of a step that communication may hold up.", "通信暴露时间占步时的上限。", "10%"),
    ] = None
    expansion: Annotated[
        Annotated[tuple[kinds.Multiple, ...], kinds.Listed] | None,
        about("Later sizes as multiples of the first.", "后续扩容规模（首期的倍数）。", ["2x", "4x"]),
    ] = None


class TariffPeriod(Keys):
    """One period of a time-of-use tariff."""

    period: Annotated[kinds.Line, about("Name of the period.", "时段名称。", "valley")]
    hours: Annotated[kinds.NumberOrZero, about("Hours of a day in the period.", "每日该时段的小时数。", 8)]
    price: Annotated[kinds.EnergyPrice, about("Price in the period.", "该时段电价。", "0.25 CNY/kWh")]


class SiteSection(Keys):
    """Where the cluster stands."""

    region: Annotated[
        kinds.Region | None,
        about("ISO 3166-2 or 3166-1 code.", "地区代码（ISO 3166-2 或 3166-1）。", "CN-GZ"),
    ] = None
    pue: Annotated[
        kinds.Pue | None, about("Power usage effectiveness, at least 1.", "电能利用效率，不小于 1。", 1.25)
    ] = None
    electricity: Annotated[
        kinds.EnergyPrice | None, about("Price of electricity, all in.", "到户电价。", "0.42 CNY/kWh")
    ] = None
    tariff: Annotated[
        tuple[TariffPeriod, ...],
        kinds.OneOrMore,
        about(
            "Time-of-use tariff.", "分时电价。", [{"period": "valley", "hours": 24, "price": "0.25 CNY/kWh"}]
        ),
    ] = ()
    rack_power: Annotated[
        kinds.Power | None, about("Power that one rack can take.", "单机柜供电能力。", "35 kW")
    ] = None
    cooling: Annotated[
        kinds.CoolingKind | None, about("Cooling of the servers.", "服务器冷却方式。", "liquid")
    ] = None
    redundancy: Annotated[
        kinds.Redundancy | None, about("Redundancy of power and cooling.", "供电与制冷冗余。", "N+1")
    ] = None
    grid_carbon: Annotated[
        kinds.CarbonIntensity | None,
        about("Carbon intensity of the grid.", "电网碳排放因子。", "0.53 kg/kWh"),
    ] = None

    hall: Annotated[
        kinds.HallKind | None,
        about("Rented by the kW and month, or built.", "机房：按千瓦·月托管，或自建。", "colocation"),
    ] = None
    planned_downtime: Annotated[
        kinds.Duration | None,
        about("Planned downtime a year, at idle power.", "每年计划停机时间（按空闲功率计）。", "100 h"),
    ] = None

    @model_validator(mode="after")
    def _check_tariff(self) -> Self:
        hours = sum((period.hours for period in self.tariff), Decimal(0))
        if self.tariff and hours != 24:  # noqa: PLR2004 - the hours of a day
            raise QuantityError(f"the periods of the tariff add up to {hours} hours", "24 hours a day")
        return self


class VendorsSection(Keys):
    """Which vendors and devices are considered."""

    consider: Annotated[
        kinds.Names | None, about("Vendors, by id.", "纳入比选的厂商标识。", ["ascend", "nvidia", "amd"])
    ] = None
    accelerators: Annotated[
        kinds.Names | None,
        about(
            "Devices, by id; left out: every eligible one.",
            "加速卡标识；省略则纳入全部可选型号。",
            ["ascend-910b2", "h100-sxm"],
        ),
    ] = None
    prefer: Annotated[
        kinds.Name | None,
        about(
            "Preference on a near tie: domestic, or a vendor id.",
            "结果相近时的偏好：domestic 或厂商标识。",
            "domestic",
        ),
    ] = None
    delivery_region: Annotated[
        kinds.Country | None, about("Country of delivery, ISO 3166-1.", "交付国家代码（ISO 3166-1）。", "CN")
    ] = None


class VatKeys(Keys):
    """VAT rates of a mixed bill."""

    goods: Annotated[kinds.Fraction | None, about("Rate on goods.", "货物税率。", "13%")] = None
    works: Annotated[kinds.Fraction | None, about("Rate on construction.", "建筑安装税率。", "9%")] = None
    services: Annotated[kinds.Fraction | None, about("Rate on services.", "服务税率。", "6%")] = None


class FxKeys(Keys):
    """A dated exchange rate."""

    pair: Annotated[kinds.CurrencyPair, about("BASE/QUOTE.", "货币对（基准/报价）。", "USD/CNY")]
    rate: Annotated[kinds.Rate, about("Units of QUOTE for one BASE.", "一单位基准货币的报价。", 7.10)]
    date: Annotated[kinds.Day, about("Day of the rate.", "汇率日期。", "2026-11-28")]
    source: Annotated[
        kinds.Line | None, about("Where the rate was read.", "汇率来源。", "central parity rate")
    ] = None


class MilestoneKeys(Keys):
    """One payment milestone."""

    name: Annotated[kinds.Words, about("Event that makes the payment due.", "付款节点。", "delivery")]
    share: Annotated[kinds.Fraction, about("Share of the contract.", "占合同价的比例。", "60%")]
    after: Annotated[kinds.DaysOrZero | None, about("Days after the order.", "订单后的天数。", "90 days")] = (
        None
    )


class RentKeys(Keys):
    """Rental offer to compare with buying."""

    price: Annotated[kinds.Amount, about("Price of one accelerator-hour.", "每卡时租金。", "12 CNY")]
    commitment: Annotated[
        kinds.Duration | None, about("Length of the commitment.", "承诺租期。", "3 years")
    ] = None
    accelerator: Annotated[
        kinds.Name | None, about("Device that is rented.", "所租加速卡标识。", "h100-sxm")
    ] = None


class StaffKeys(Keys):
    """People who run the cluster."""

    posts: Annotated[kinds.Number, about("Full-time posts.", "全职岗位数。", 3)]
    cost: Annotated[kinds.Amount, about("Yearly cost of one post.", "单岗年成本。", "300k CNY")]


class CommercialSection(Keys):
    """Money rules."""

    currency: Annotated[kinds.Currency | None, about("Currency of all totals.", "汇总币种。", "CNY")] = None
    budget: Annotated[kinds.Amount | None, about("Budget, tax included.", "预算（含税）。", "200M CNY")] = (
        None
    )
    horizon: Annotated[
        kinds.Years | None, about("Years that the total cost covers.", "总拥有成本的年限。", "5 years")
    ] = None
    discount_rate: Annotated[kinds.Fraction | None, about("Yearly discount rate.", "年折现率。", "6%")] = None
    vat: Annotated[VatKeys | None, kinds.Section, about("VAT rates.", "增值税税率。", {"goods": "13%"})] = (
        None
    )
    fx: Annotated[
        tuple[FxKeys, ...],
        kinds.OneOrMore,
        about("Exchange rates.", "汇率。", [{"pair": "USD/CNY", "rate": 7.1, "date": "2026-11-28"}]),
    ] = ()
    rounding: Annotated[
        kinds.RoundingKind | None,
        about("Where money is rounded to the cent.", "金额取整到分的位置。", "line"),
    ] = None
    milestones: Annotated[
        tuple[MilestoneKeys, ...],
        kinds.OneOrMore,
        about("Payment milestones.", "付款节点。", [{"name": "final acceptance", "share": "100%"}]),
    ] = ()
    price_validity: Annotated[
        kinds.Days | None,
        about("Age from which a price is marked stale.", "价格有效期，超过则标注。", "90 days"),
    ] = None
    quotes: Annotated[kinds.Names | None, about("Quote sheets.", "报价单文件。", ["./quote.xlsx"])] = None
    rent: Annotated[
        RentKeys | None, about("Rental offer to compare with.", "用于对比的租赁报价。", {"price": "12 CNY"})
    ] = None
    depreciation_years: Annotated[
        kinds.Years | None, about("Accounting life of equipment.", "设备折旧年限。", 5)
    ] = None
    residual: Annotated[
        kinds.Fraction | None, about("Residual share at the end of life.", "残值率。", "5%")
    ] = None
    maintenance: Annotated[
        kinds.Fraction | None,
        about(
            "Yearly maintenance after the warranty, share of hardware price.", "质保期后年维保费率。", "5%"
        ),
    ] = None
    warranty_years: Annotated[kinds.Years | None, about("Warranty in the price.", "价内质保年限。", 3)] = None
    spare_parts: Annotated[
        kinds.Fraction | None, about("Spare parts, share of hardware price.", "备品备件费率。", "2%")
    ] = None
    delivery: Annotated[
        kinds.Months | None,
        about("From order to operation.", "从下单到投运。", "6 months"),
    ] = None
    insurance: Annotated[
        kinds.Fraction | None, about("Yearly insurance, share of goods.", "年保险费率（按货物）。", "0.3%")
    ] = None
    decommissioning: Annotated[
        kinds.Fraction | None,
        about("Cost of removal at the end, share of goods.", "期末拆除处置费率（按货物）。", "1%"),
    ] = None
    escalation: Annotated[
        EscalationKeys | None,
        kinds.Section,
        about("Yearly rise of running costs.", "运营成本年涨幅。", {"electricity": "2%"}),
    ] = None
    financing: Annotated[
        FinancingKeys | None,
        about(
            "Loan or lease for the purchase.",
            "采购的贷款或融资租赁。",
            {"method": "level", "share": "70%", "rate": "4.5%", "term": "60 months"},
        ),
    ] = None
    serving: Annotated[
        ServingKeys | None,
        about(
            "What the cluster serves, for the cost of a million tokens.",
            "推理服务吞吐，用于百万词元成本。",
            {"tokens_per_s_per_accelerator": 800, "utilisation": "60%"},
        ),
    ] = None
    scenarios: Annotated[
        ScenariosKeys | None,
        kinds.Section,
        about("Scenarios beside the base.", "基准以外的情景。", {"pessimistic": {"price": 1.2}}),
    ] = None
    scoring: Annotated[
        ScoringKeys | None,
        about(
            "Weights with which options are scored.",
            "方案评分的权重。",
            {"cost": "40%", "time": "20%", "energy": "10%", "evidence": "15%", "supply": "15%"},
        ),
    ] = None
    staff: Annotated[
        StaffKeys | None, about("Operating staff.", "运维人员。", {"posts": 3, "cost": "300k CNY"})
    ] = None

    @model_validator(mode="after")
    def _check_milestones(self) -> Self:
        total = sum((milestone.share for milestone in self.milestones), Decimal(0))
        if self.milestones and total != 1:
            raise QuantityError(
                f"the shares of the milestones add up to {total:%}", "shares that add up to 100%"
            )
        return self


class MeasuredLayout(Keys):
    """Layout of a pilot run."""

    tp: Annotated[kinds.Whole | None, about("Tensor parallel size.", "张量并行数。", 8)] = None
    pp: Annotated[kinds.Whole | None, about("Pipeline stages.", "流水线级数。", 1)] = None


class MeasuredKeys(Keys):
    """A pilot run of the same model and sequence length, to calibrate with."""

    accelerator: Annotated[kinds.Name, about("Device of the run.", "试跑所用加速卡标识。", "ascend-910b2")]
    tokens_per_s_per_accelerator: Annotated[
        kinds.TokensPerSecond, about("Measured rate of one accelerator.", "实测单卡吞吐（词元/秒）。", 390)
    ]
    stack: Annotated[
        kinds.Name | None, about("Training software of the run.", "试跑所用软件栈标识。", "mindspeed")
    ] = None
    accelerators: Annotated[
        kinds.Whole | None, about("Accelerators of the run.", "试跑的加速卡数量。", 64)
    ] = None
    layout: Annotated[
        MeasuredLayout | None, kinds.Section, about("Layout of the run.", "试跑的并行布局。", {"tp": 8})
    ] = None


class ProjectFile(Keys):
    """The whole project file."""

    project: Annotated[ProjectSection, kinds.Section, about("Title page.", "项目信息。", {})]
    scenario: Annotated[kinds.Name, about("Kind of project.", "项目场景标识。", "pretrain-34b-70b")]
    model: Annotated[ModelKeys, about("The model.", "模型。", "qwen2.5-72b")]
    workload: Annotated[WorkloadSection, kinds.Section, about("The training job.", "训练任务。", {})]
    solve_for: Annotated[
        kinds.SolveKind | None,
        about(
            "The unknown; left out: whichever of accelerators, deadline and tokens is missing.",
            "待求量；省略则为加速卡、期限、词元中缺失的一项。",
            "accelerators",
        ),
    ] = None
    objective: Annotated[
        kinds.ObjectiveKind | None,
        about("What the recommendation makes smallest.", "推荐方案的最小化目标。", "cost"),
    ] = None
    layout: Annotated[LayoutSection, kinds.Section, about("Pinned layout.", "固定的并行布局。", {})]
    cluster: Annotated[ClusterSection, kinds.Section, about("Fixed facts of the cluster.", "集群约束。", {})]
    storage: Annotated[StorageSection, kinds.Section, about("Storage and checkpoints.", "存储与检查点。", {})]
    reliability: Annotated[
        ReliabilitySection, kinds.Section, about("Failures and repairs.", "故障与维修。", {})
    ]
    site: Annotated[SiteSection, kinds.Section, about("The site.", "机房。", {})]
    vendors: Annotated[VendorsSection, kinds.Section, about("Vendors and devices.", "厂商与加速卡。", {})]
    commercial: Annotated[CommercialSection, kinds.Section, about("Money rules.", "商务条件。", {})]
    measured: Annotated[
        tuple[MeasuredKeys, ...], kinds.OneOrMore, about("Pilot runs.", "试跑实测。", [])
    ] = ()
    claims: Annotated[
        tuple[ClaimKeys, ...], kinds.OneOrMore, about("Claims to audit.", "待核查的说法。", [])
    ] = ()
    edits: Annotated[
        tuple[EditKeys, ...],
        kinds.OneOrMore,
        about("Figures changed by hand in a cost sheet.", "在成本测算表中人工改动的数值。", []),
    ] = ()


LORA_TASKS = frozenset({Task.LORA, Task.QLORA})
"""Tasks that train adapters."""
