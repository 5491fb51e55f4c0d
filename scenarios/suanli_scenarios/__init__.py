"""The built-in kinds of project: LoRA fine-tuning, 34–70B pre-training, base models from 100B on."""
