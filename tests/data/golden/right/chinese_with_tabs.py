# 第十课：多头注意力
import torch
from torch import nn
import torch.nn.functional as F

负无穷 = float("-inf")


def project(输入, 权重, 头数):
	列数 = 权重.shape[1]
	if 列数 % 头数 != 0:
		raise ValueError(f"{列数} 不能被 {头数} 整除")
	return torch.stack([输入 @ 块 for 块 in 权重.chunk(头数, dim=1)], dim=1)


def attend(查询, 键, 值, mask=None):
	"""返回 (heads, weights)"""
	分数 = 查询 @ 键.transpose(-2, -1) / 查询.shape[-1] ** 0.5
	if mask is None:
		权重 = F.softmax(分数, dim=-1)
	else:
		# 没有可看的键：权重全为零
		可见 = mask.any(dim=-1, keepdim=True)
		分数 = 分数.masked_fill(~mask & 可见, 负无穷)
		权重 = F.softmax(分数, dim=-1) * 可见
	return 权重 @ 值, 权重


class MultiHeadAttention(nn.Module):
	def __init__(self, 模型宽度, 头数):
		super().__init__()
		if 模型宽度 % 头数 != 0:
			raise ValueError("模型宽度必须能被头数整除")
		self.头数 = 头数
		self.W_q = nn.Parameter(torch.empty(模型宽度, 模型宽度))
		self.W_k = nn.Parameter(torch.empty(模型宽度, 模型宽度))
		self.W_v = nn.Parameter(torch.empty(模型宽度, 模型宽度))
		self.W_o = nn.Parameter(torch.empty(模型宽度, 模型宽度))
		for 参数 in self.parameters():
			nn.init.xavier_uniform_(参数)

	def forward(self, 查询, 键, 值, mask=None):
		if mask is not None:
			mask = mask.unsqueeze(-3)
		q, k, v = project(查询, self.W_q, self.头数), project(键, self.W_k, self.头数), project(值, self.W_v, self.头数)
		头, _ = attend(q, k, v, mask)
		return torch.cat(头.unbind(1), dim=-1) @ self.W_o


def self_attention(模型, x):
	return 模型(x, x, x)


def cross_attention(模型, 目标, 记忆):
	return 模型(目标, 记忆, 记忆)
