"""Words that say nothing about what a text is for; they are left out on both sides of a search."""

_ENGLISH = """
a about above after again against all also although am an and any anyone anything are as at be because been before
being below between both but by can cannot could did do does doing done during each either else etc even ever every
everything few for from further give given had has have having he hence her here hers herself him himself his how
however i if in into is it its itself kind least let lets like lot lots many may maybe me might mine more most much
must my myself need needed needs neither never no nor not now of off often on once one only onto or other others
otherwise our ours ourselves out over own per perhaps please quite rather really same shall she should since so some
someone something sometimes soon still such sure than thank thanks that the their theirs them themselves then thence
there therefore these they thing things this those though through thus to together too toward towards under unless
until up upon us use used uses using usually various very via want wanted wants was we well were what whatever when
whenever where whereas wherever whether which whichever while who whoever whole whom whose why will with within
without would yes yet you your yours yourself yourselves e.g i.e
"""

_CHINESE = """
一下 一下子 一个 一些 一样 一点 一点儿 一种 一起 一直 一定 一般 一切 一边 一旦 一次 不仅 不会 不但 不光 不再 不只 不同
不如 不得 不必 不是 不用 不管 不能 不要 不论 不过 与其 与否 为了 为什么 为何 为止 主要 之一 之前 之后 之类 之间 也是
也许 也就是说 什么 什么样 今后 仍然 他们 以上 以下 以便 以免 以内 以前 以及 以后 以外 以至 任何 会不会 似乎 但是 何时
何况 作为 你们 你好 使得 使用 例如 依照 便于 倘若 假如 做到 先后 其中 其他 其余 其它 其实 具体 具有 再说 几个 几乎
凡是 别人 别的 到底 包括 千万 即使 即便 却是 只好 只是 只有 只要 只能 可以 可是 可能 各个 各位 各种 各自 同时 同样
否则 咱们 哪个 哪些 哪儿 哪里 哪怕 因为 因此 因而 固然 在内 在于 多么 多少 大家 大概 如下 如何 如同 如果 如此 它们
对于 对方 将会 将要 就是 就是说 就要 尤其 尽管 已经 帮我 帮忙 帮助 并且 并不 并非 应当 应该 当时 当然 彼此 很多 怎么
怎么办 怎么样 怎样 总之 总是 您好 想要 愿意 我们 或是 或者 所以 所有 所谓 才能 抑或 按照 据此 换句话说 无论 既然 时候
是不是 是否 显然 曾经 更加 有些 有人 有关 有时 有没有 有的 有着 本身 极其 来自 来说 某个 某些 某种 根据 正在 正是 此外
此时 每个 每次 比如 比方 毕竟 沿着 没有 然后 然而 特别 现在 由于 由此 甚至 的话 相当 看看 直到 真的 知道 确实 等等
终于 经常 而且 而是 而言 能不能 能否 能够 自己 自身 至于 至少 若是 若非 虽然 虽说 觉得 觉着 许多 诸如 请问 谁知 譬如
越来越 跟着 还是 还有 还要 这个 这么 这些 这儿 这样 这种 这边 这里 进行 进而 通过 通常 遇到 那个 那么 那些 那儿 那样
那种 那边 那里 都是 里面 随后 随着 除了 除外 除此之外 除非 需要 非常 顺便 首先 麻烦 好的 好像 最好 有点 有点儿 不太
不想 不行 不知 打算 希望 弄个 搞定 谢谢 两个
"""

_PARTICLES = """
的地得了着过吗呢吧啊呀嘛哦把被将给让叫使跟和与及或而但却则若如因为由于从自向往到在对以按就也都还又再才只很太最更是有要会能可应该
这那此其之某每各本我你您他她它们谁哪啥何几多少一二三四五六七八九十两个些种次条件份张位点下上里中内外前后左右时请帮想用来去做弄搞
不没无非别未已正所等者
"""

ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
CHINESE_STOP_WORDS = frozenset(_CHINESE.split())
CHINESE_PARTICLES = frozenset(_PARTICLES) - {"\n"}
"""Single characters that are no word of content even beside another one."""
