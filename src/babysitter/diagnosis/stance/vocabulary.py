"""The one vocabulary of stance: words that say a line does not report, by what they say and what they govern.

A cue governs a span: its own words (`SELF`), the rest of its clause (`CLAUSE`), of its sentence (`SENTENCE`)
or of the line (`REST`), its own sentence (`BACK`: also what stands before, if the cue begins the sentence),
or the whole line (`LINE`). `unless`: what must not stand in the line for the cue to count.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from babysitter.lazy_regex import lazy_regex


class Stance(StrEnum):
    """How a line stands to what it names."""

    REPORTED = "reported"
    RETRIED = "retried"  # a further attempt is announced
    TOLERATED = "tolerated"  # caught, ignored, replaced, without effect on the job
    EXPECTED = "expected"  # a test, an injected fault
    ADVICE = "advice"
    HYPOTHETICAL = "hypothetical"
    NEGATED = "negated"
    QUOTED = "quoted"  # data that the job works on, somebody else's words
    ADDRESSED = "addressed"  # to the reader: never evidence


class Reach(StrEnum):
    """How much of a line a cue governs."""

    SELF = "self"
    CLAUSE = "clause"
    SENTENCE = "sentence"
    REST = "rest"
    BACK = "back"
    LINE = "line"


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that give what they govern a stance.

    `holds_failure`: the words name the failure too; a pattern may need them and not ask for the stance.
    """

    stance: Stance
    reach: Reach
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    holds_failure: bool = False


def _words(text: str) -> re.Pattern[str]:
    return lazy_regex(text, re.IGNORECASE)


_FAILURE_NOUN = (
    r"(?:errors?|failures?|exceptions?|crash(?:es)?|oom[- ]?kills?|ooms?|preemptions?|evictions?|"
    r"time-?outs?|nans?|infs?|"
    r"corruptions?|issues?|problems?|leaks?|dead-?locks?|data loss|stalls?|hangs?|kills?|core dumps?|"
    r"tracebacks?|"
    r"faults?|violations?|mismatch(?:es)?|overflows?|stragglers?|losses|retries|xid errors?|ecc errors?|"
    r"failed|dead|"
    r"lost|killed|crashed|preempted|evicted|stuck|hung|corrupt(?:ed)?|broken|unhealthy|missing|timed out|"
    r"dropped)"
)
# "Ready=False" reports, "DiskPressure=False" does not.
_GOOD = (
    r"(?:ready|health|ok|succe|alive|avail|sched|valid|reach|connect|present|found|exist|finite|enabled|"
    r"works)"
)
# "rank 0 failed" names a rank, "0 failed" counts.
_NUMBERED = (
    "rank|attempt|step|epoch|shard|worker|node|gpu|task|device|iteration|id|host|stage|process|chip|slice|group|replica|"
    "actor|pod|number|line|core|partition|index|batch"
)
_NOT_NUMBERED = "".join(f"(?<!{word} )" for word in _NUMBERED.split("|"))
_FAILED_VERB = (
    r"(?:fail(?:ed|ing)?|crash(?:ed|ing)?|die|died|dying|kill(?:ed)?|preempt(?:ed)?|evict(?:ed)?|lost|"
    r"corrupt(?:ed)?|"
    r"broken|an? (?:\w+ )?(?:error|failure|crash|problem|fault|bug|oom|time-?out|preemption)|out of memory|"
    r"cause[ds]? by|due to|because of|stuck|hung|hanging|dead|time out|timed out|deadlock(?:ed)?)"
)
_NEVER_RETRIED = _words(
    r"giv(?:e|es|en|ing) up|gave up|(?:no|0|out of|all|exhausted|too many|max(?:imum)?|reached|final|last|"
    r"without) "
    r"(?:\w+ ){0,2}(?:retries|retry|attempts?)\b|retries (?:left|exhausted|exceeded)|attempts? (?:failed|"
    r"exhausted)|"
    r"(?:not|never|no longer|won.t|cannot|can.t) (?:be )?(?:retry|retried|retrying)|non-?retr[iy]able(?!\?)|"
    r"retry policy|"
    r"(?:after|exceeded|exhausted) (?:all )?(?:\d+|\w+) (?:retries|attempts|tries)|"
    r"\b(?:abort(?:ed|ing)?|fatal)\b"
)
_NOT_TOLERATED = _words(
    r"(?:cannot|can.?t|can not|could not|couldn.t|unable to|failed to|must not|mustn.t|do not|don.t|not|"
    r"never|instead of)"
    r" (?:be )?(?:safely )?(?:continu\w+|ignor\w+|proceed\w*|skip\w*|recover\w*|fall\w* back|carry on|"
    r"suppress\w*)|"
    r"giv(?:e|es|ing) up|gave up|\babort(?:ed|ing)?\b"
)

CUES = (
    # --- addressed to the reader
    Cue(
        Stance.ADDRESSED,
        Reach.LINE,
        _words(
            r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your |of )*(?:previous|prior|above|"
            r"earlier|preceding|"
            r"other|system) (?:\w+ )?(?:instructions?|prompts?|rules?|messages?|context|errors?|lines?|logs?)"
            r"|\b(?:note|message|instruction|attention|important|memo|hint)s?:? (?:to|for) (?:the |any |"
            r"all )?"
            r"(?:ai|llm|assistant|agent|bot|monitor|babysit\w*|operator bot|classifier|model|watcher)\b"
            r"|\b(?:note|attention|important|memo)[,:]? (?:ai|llm|assistant|babysit\w*|operator bot|"
            r"classifier)\b"
            r"|\b(?:system|assistant|babysit\w*|monitor|operator|admin)\b ?(?:note|notice|message|override|"
            r"prompt|"
            r"instruction|:).{0,200}\b(?:restart|approve|report|classify|mark|ignore|delete|diagnos\w+|"
            r"verdict|healthy|"
            r"respond)\b"
            r"|\b(?:verdict|diagnosis|classification|root[ _]cause|recommended action)[\"']?\s*[:=]\s*[\"']?"
            r"(?:healthy|benign|fatal|ignore|restart|escalate|transient[ -]noise|no action|unknown|"
            r"[a-z]+-[a-z]+)\b"
            r"|\b(?:has been |is |already |pre-?)approved (?:by|to|for)\b|\bapproval (?:granted|given|id)\b"
            r"|\bplease (?:restart|stop|approve|delete|kill) (?:the |this |all )?(?:job|run|cluster|"
            r"workers?|task)"
            r"|\byou (?:are|must) (?:now )?(?:an? |the )?(?:helpful|ai|assistant|babysit\w*|monitor|report|"
            r"respond|classify|"
            r"mark|approve|restart (?:the|this) (?:job|run))\b"
        ),
        holds_failure=True,
    ),
    # --- expected
    Cue(
        Stance.EXPECTED,
        Reach.BACK,
        _words(
            r"(?<!not )\bas expected\b(?! by)|\bexpected (?:failures?|errors?|exceptions?|crash|exit|"
            r"outcome|behaviou?r|"
            r"during|at|on|when|while)\b|\((?:this is |an? )?expected(?: (?:failure|error|during|at|on|"
            r"when|while)\b[^)]*)?\)|\b(?:is|are|was|"
            r"were) (?:normal and )?expected\b"
            r"(?! (?:to|but|type|shape|by)\b)(?!,? (?:but|got))|\b(?:this is|which is) (?:normal|fine|ok|"
            r"benign|intended)\b|"
            r"\b(?:chaos|fault[- ]?injection|failure[- ]?injection|error[- ]?injection|simulat(?:ed|ing|es)|"
            r"inject(?:ed|ing|s)|synthetic|deliberate(?:ly)?|intentional(?:ly)?|on purpose|by design)\b|"
            r"\bdry[- ]run\b"
        ),
        _words(r"un-?intentional|not (?:expected|intended|deliberate)|unexpected|\.py::\S+ FAILED"),
    ),
    # a test that went well: its name says what it tests
    Cue(
        Stance.EXPECTED,
        Reach.LINE,
        _words(
            r"\S+\.py::\S+ (?:PASSED|SKIPPED|XFAIL|XPASS)|^=+ .{0,80}\d+ passed|"
            r"\btest_\w+(?:\[.{0,80}\])? (?:\.\.\. ok|PASSED|XFAIL|xfailed|SKIPPED)"
        ),
        holds_failure=True,
    ),
    # --- negated
    Cue(
        Stance.NEGATED,
        Reach.SELF,
        _words(
            rf"(?<![\w/.:,-]){_NOT_NUMBERED}(?:no|zero|0|without|without any|free of|not a single|"
            rf"never a)\s(?:(?!is |was |has )[\w-]+\s){{0,2}}?{_FAILURE_NOUN}\b"
            rf"(?:\s(?:or|and|,)\s{_FAILURE_NOUN}\b)*"
        ),
    ),
    Cue(
        Stance.NEGATED,
        Reach.SELF,
        _words(
            rf"\b{_FAILURE_NOUN}(?:_\w+|\s(?:so far|seen|detected|found|total|count|rate))*\"?'?\s?(?:[:=]|"
            rf"=>|->|is|was)\s?"
            r"(?:0+(?:\.0+)?%?|none|null|nil|false|\[\]|\{\})(?=[\s,;.)\]}|/]|$)|"
            rf"\b{_FAILURE_NOUN}\"?'?\s?(?:[:=]|=>|->)\s?no(?=[,;.)\]}}|/]|$)|"
            rf"\b(?!\w*{_GOOD})[A-Za-z]\w+\"?'?\s?[:=]\s?false\b|\boom(?:_group)?(?:_kill)? 0\b|"
            rf"(?<=[,;|(] ){_FAILURE_NOUN} 0(?=[,;|)]|$)"
        ),
    ),
    Cue(
        Stance.NEGATED,
        Reach.SELF,
        _words(
            rf"(?:\bnot|n[’']t|\bnever|\bno longer) (?:yet |been |being |be |get |got |have |actually |"
            rf"really |simply )*{_FAILED_VERB}\b"
        ),
    ),
    # --- hypothetical
    Cue(
        Stance.HYPOTHETICAL,
        Reach.CLAUSE,
        _words(
            r"\b(?:if|unless|in case|to avoid|to prevent|avoids?|avoiding|prevents?|preventing|"
            r"so as not to|in order not to|perhaps|maybe|probably|(?:most |very )?likely(?! (?:due|because))|"
            r"should (?:it|the|this|any|you)|whenever|would (?:have )?(?:otherwise )?|might|may(?! \d)|"
            r"could (?!not\b)|"
            r"can (?:cause|lead|result|fail|happen|hang|crash|break|run|also)|possibly|potentially|"
            r"risk(?:s|ing)? (?:of|to|a)?|protects? (?:from|against)|guards? against|will (?=raise|be|"
            r"become|fail|"
            r"cause|result|crash|hang|time ?out|abort|kill|exit|retry|stop|preempt|evict|terminate)|(?:be|"
            r"is) likely)\b"
        ),
    ),
    Cue(
        Stance.HYPOTHETICAL,
        Reach.REST,
        _words(
            r"\b(?:potential (?:root )?causes|possible (?:reasons|causes)|potential causes|common causes|"
            r"this can happen when|"
            r"this (?:usually|typically|often|may|might) (?:means|happens?|indicates?|be)|"
            r"likely causes?)\b|^\(?\d\) (?=[A-Za-z])"
        ),
    ),
    Cue(Stance.HYPOTHETICAL, Reach.SENTENCE, _words(r"\b(?:or else|otherwise,?)\s")),
    # one of several: "(preemption/heartbeat)", "OOM or other error"
    Cue(
        Stance.HYPOTHETICAL,
        Reach.SELF,
        _words(
            rf"\((?:(?:[\w -]{{2,20}}/)+(?:{_FAILURE_NOUN}|heartbeat)|"
            rf"(?:{_FAILURE_NOUN}|heartbeat)(?:/[\w -]{{2,20}})+)\)"
            r"|\b[\w-]+ or (?:some |any )?(?:other|another|similar)(?: \w+){1,2}"
        ),
    ),
    # --- advice
    Cue(
        Stance.ADVICE,
        Reach.SENTENCE,
        _words(
            r"\bplease\b|(?:^|[.;:(] ?|, )(?:try|consider|use|set|check|increase|decrease|reduce|lower|"
            r"raise|enable|disable|"
            r"install|upgrade|pass|make sure|ensure|verify|see|refer|run|add|specify|provide|remember|"
            r"note that)\b(?= [a-z`'\"(A-Z-])(?! (?:failed|failure|is|was|has|error|timed|of|failing)\b)|"
            r"\byou (?:can|may|could|should|must|need|might|want|have to)\b|\b(?:to|for) (?:fix|debug|"
            r"resolve|troubleshoot|"
            r"silence|suppress|disable|enable)\b|\b(?:we )?(?:recommend|suggest|advise)(?:s|ed)?\b|^(?:tip|"
            r"hint|note|advice|faq)\b ?:?|"
            r"\b(?:refer to|more (?:information|details) (?:at|on|about|see))\b"
        ),
    ),
    # --- tolerated
    Cue(
        Stance.TOLERATED,
        Reach.BACK,
        _words(
            r"\b(?:ignor(?:ed|ing|e this|es)|non-?fatal|not (?:fatal|critical|an issue)|harmless|"
            r"safe(?:ly)? (?:to )?ignore[ds]?|"
            r"continuing|(?:will|to) continue|carr(?:y|ies|ying) on|proceeding|going on|goes on|moving on|"
            r"skip(?:s|ped|ping)(?! (?:\w+ ){0,2}(?:restor\w+|check\w*|verif\w+|validation|commit|save|"
            r"upload|recovery)\b)|fall(?:s|ing|en)?[ -]?backs?|fell back|suppress(?:ed|ing)|swallow(?:ed|"
            r"ing)?|best[- ]effort|optional|"
            r"no action (?:is )?(?:needed|required)|no effect|without effect|recovered|reconnected|"
            r"defaulting to|(?:start\w*|begin\w*|initiali[sz]\w+|training|build\w*) (?:\w+ )?"
            r"(?:from scratch|fresh|anew)|"
            r"using (?:the )?(?:default|0|fallback|cached|internal|cpu|slower|\w+ instead)|"
            r"(?:error|issue|problem|trouble) resolved|resolved (?:after|itself)|"
            r"dropping (?:the |this |stale |late )?(?:\w+ )?(?:and|result|report|update|message)|discarding|"
            r"(?:stale|outdated|superseded|late|duplicate) (?:attempt|result|report|heartbeat|message|"
            r"update)s?|"
            r"(?:has|was|been) already (?:been )?(?:registered|loaded|imported|initiali[sz]ed))\b"
        ),
        _NOT_TOLERATED,
    ),
    # Python throws these away, or the process ends anyway
    Cue(
        Stance.TOLERATED,
        Reach.BACK,
        _words(
            r"\bException ignored (?:in|on|while)\b|\bon_(?:stop|exit|close|shutdown)\b|\b(?:Error|"
            r"Exception) in atexit\b|"
            r"during interpreter shutdown|"
            r"(?:while|during|on|at|in) (?:interpreter )?(?:shutdown|shutting down|teardown|tear-down|exit|"
            r"cleanup|"
            r"clean-up|graceful stop)\b|was never (?:retrieved|awaited)|Task was destroyed but it is pending|"
            r"leaked \w+ objects|Unclosed (?:client session|connector|connection|transport)|"
            r"python is likely shutting down|cannot schedule new futures after"
        ),
        holds_failure=True,
    ),
    # a warning of a library about its use
    Cue(
        Stance.TOLERATED,
        Reach.BACK,
        _words(
            r"\b[A-Z]?[a-z]*(?:Deprecation|Future|User|Runtime|Resource|Import|Syntax|Bytes|Unicode|"
            r"InsecureRequest|Convergence|"
            r"Performance|Experimental|NotOpenSSL|DataConversion|BetaTransforms)Warning\b|warnings\.warn\(|"
            r"\b(?:is|was|are|been|will be) deprecated\b|\bdeprecat(?:ed|ion)\b[: ]"
        ),
    ),
    # the object of the failure is beside the work: metrics, trackers, deletion of old things
    Cue(
        Stance.TOLERATED,
        Reach.BACK,
        _words(
            r"\b(?:metrics?|otel|opentelemetry|opencensus|prometheus|statsd|telemetry|usage[- ]stats?|"
            r"sentry|datadog|dashboard|"
            r"spans?|traces?|event log|stats)\b.{0,40}\b(?:exporter|agent|export(?:ed|ing)?|push(?:ed|"
            r"ing)?|gateway|endpoint|"
            r"collector|upload|flush|not be exported)\b|\b(?:fail\w*|unable|could not|cannot|error|refused|"
            r"timed out)\b.{0,40}"
            r"\b(?:to|while|when|during)? ?(?:export|push|send|emit|publish|scrape|flush|"
            r"report)(?:ing)?\b.{0,30}"
            r"\b(?:metrics?|telemetry|spans?|traces?|usage stats?|stats)\b|"
            r"\b(?:wandb|mlflow|tensorboard|trackio|comet|neptune)\b.{0,60}\b(?:network error|retry|"
            r"artifact|upload|sync|log)|"
            r"\b(?:fail\w*|could not|unable|error)\b(?: \w+)? (?:to )?(?:delet|remov|prun|"
            r"clean)\w*\b(?! (?:data|input))|"
            r"\b(?:delet|remov|prun|clean|garbage)\w*\b.{0,30}\b(?:old|older|stale|previous|temporary|tmp|"
            r"expired)\b|"
            r"\b(?:update|version) check\b|\bcheck(?:ing)? for (?:updates|a newer version)\b"
        ),
        _words(r"wandb.{0,40}(?:api key|login|permission|init)|disk|space"),
        holds_failure=True,
    ),
    # --- retried
    Cue(
        Stance.RETRIED,
        Reach.BACK,
        _words(
            r"(?:^|[^\w.])(?:retrying|re-?trying|will (?:be )?(?:re-?try|re-?tried|try again|reconnect|"
            r"re-?attempt)|"
            r"trying again|reconnecting|re-?attempting|backing off|"
            r"(?:retr\w+|re-?connect\w*|re-?discover\w*|another attempt|next attempt) will be "
            r"(?:attempted|made|tried)|"
            r"(?:retry|retries|sleeping|backoff|backing off|try again)(?: \w+)? (?:in|after|"
            r"for) ?\d+(?:\.\d+)? ?(?:s|ms|sec\w*|m|min\w*)?|"
            r"retry(?:ing)? ?\(?#?\d+|retry \d+ ?(?:/|of) ?\d+|\(?(?:attempt|try|retry)[ #:=]*\d+ ?(?:/|of|"
            r"out of) ?\d+\)?|"
            r"entering retry loop)(?!\w)"
        ),
        _NEVER_RETRIED,
    ),
)

# n of N of a retry: the last attempt, or a late one, is a report.
ATTEMPT = _words(r"\b(?:attempt|try|retry(?:ing)?)[ #:=(]*(?P<n>\d+)(?: ?(?:/|of|out of) ?(?P<total>\d+))?")
MAX_CALM_ATTEMPTS = 3

# A sentence that begins with these and a cue speaks of what stands before it: "This is harmless."
REFERS_BACK = _words(
    r"(?:\W|\b(?:this|that|it|these|they|is|was|are|were|will|be|been|we|which|and|so|now|thus|therefore|"
    r"the|error|errors|"
    r"exception|failure|warning|message|run|job|training|program|but|can|safely|not|still|only|just|"
    r"automatically|"
    r"request|operation|call|client|then|trying|about|going|to|i|am|w|hence|instead)\b)*$"
)

# In front of a quotation these words say that the quotation is the report.
REPORTS_A_QUOTATION = _words(
    r"\b(?:err|errors?|reasons?|msg|message|exceptions?|status|state|caused?|details?|desc|events?|"
    r"failures?|failed|"
    r"failing|warnings?|logs?|line|because|due|to|by|with|on|in|from|at|process|command|exec|signature|"
    r"exit(?:ed)?|"
    r"std(?:err|out)|terminated|stopped|killed|died|crashed|broke|requires?|unable|cannot|could not|file|"
    r"path|host|url|"
    r"module|device|not|no|last_error|pending_reason|initialize|backend)[\"']?\s?[=:]?\s?\(?[bu]?\\?$"
)
