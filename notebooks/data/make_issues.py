"""Writes issues.csv: 600 made-up issue texts of a software project, each with the one label that it needs.

A text is put together from the phrases below with a seed. It describes no real project, and nobody wrote it in an
issue. The texts are public domain (CC0 1.0).
    python make_issues.py
"""

import csv
import pathlib
import random

random.seed(20251104)

# Each third of the rows has one label. Words such as "test", "docs" and "review" occur under every label, so that no
# single word decides.
PHRASES = {
    "needs_docs": [
        "The {option} flag is not mentioned anywhere in the guide.",
        "I had to read the source to find out what {function} returns.",
        "The README still shows the old call of {function}.",
        "It is unclear from the manual whether {part} keeps its order.",
        "Please explain what happens when {option} and {option2} are given together.",
        "The example for {part} on the front page does not run as written.",
        "There is no page that says which values {option} accepts.",
        "The docstring of {function} names a parameter that was removed in {version}.",
        "New users ask every week how to turn {part} off.",
        "The default of {option} differs from what the reference says.",
        "Could the changelog say why {function} was renamed?",
        "The section about {part} stops in the middle of a sentence.",
        "Our tutorial tests {part} but never says what it is for.",
        "I reviewed the guide and the units of {option} are missing.",
        "The error of {part} points to a page that does not exist.",
        "Nothing tells a reader that {function} needs {version}.",
        "The table of options has no row for {option}.",
        "A short explanation of {part} would save us many questions.",
        "How is {function} meant to be used? The text gives only its name.",
        "The link to the description of {part} is broken.",
        "The migration notes for {version} leave out {function}.",
        "The comment above {function} contradicts the manual.",
        "What does {option} mean by a unit? The words on the site do not say.",
        "The install steps skip {part}, so I was lost after the second one.",
    ],
    "needs_test": [
        "Nothing fails when I delete the body of {function}.",
        "The fix for {part} came without a case that reproduces the bug.",
        "Coverage of {part} dropped to zero in {version}.",
        "{function} broke twice this year and no check noticed.",
        "We only try {option} by hand before a release.",
        "The suite passes even though {function} returns the wrong sign.",
        "An empty input to {function} is never exercised.",
        "The run on {platform} skips everything that touches {part}.",
        "Please add a regression case for {part} with {option} set.",
        "The assertion for {function} compares a value with itself.",
        "{part} is mocked everywhere, so the real one never runs.",
        "No job in the pipeline covers {option} together with {option2}.",
        "The edge case of {function} from the review is still unverified.",
        "The documented example of {part} is not executed by anything.",
        "I can swap two branches of {function} and everything stays green.",
        "The flaky case for {part} was switched off in {version} and forgotten.",
        "Somebody should pin the behaviour of {function} before we change it.",
        "The timeout of {part} has no case at all.",
        "A refactoring of {function} is risky while nothing guards it.",
        "The bug in {part} came back on {platform}, as nothing watches for it.",
        "Fuzzing found a crash in {function} that we should keep as a case.",
        "The upgrade to {version} was never tried with {option}.",
        "Which check would catch it if {part} lost a record? I found none.",
        "The expected output of {function} was copied from its own result.",
    ],
    "needs_review": [
        "The patch for {part} is ready, could somebody look at it?",
        "I rewrote {function} and would like a second opinion.",
        "The branch that speeds up {part} has waited for two weeks.",
        "All comments on {function} are addressed, please have another look.",
        "Is this the right place to change {part}? See the pull request.",
        "My change to {option} touches the public interface, so two people should approve.",
        "The diff for {part} is large; I can split it if that helps.",
        "Ready to merge from my side, only an approval for {function} is missing.",
        "I am not sure about the locking in {part}, please check my reasoning.",
        "The pull request against {version} has no reviewer yet.",
        "Feedback on the design of {option} would be welcome before I go on.",
        "I resolved the conflicts in {function}; the branch builds again.",
        "The documentation and the tests for {part} are done, it only needs eyes.",
        "Can a maintainer decide between the two drafts for {function}?",
        "The second commit changes {part}, and I would like it read with care.",
        "The contributor answered everything about {option}, so this can go on.",
        "Please approve the backport of {function} to {version}.",
        "I marked the draft for {part} as final today.",
        "The owner of {part} should see this before it lands.",
        "Does the new signature of {function} look right to you?",
        "The proposal for {option} is open for remarks until Friday.",
        "This has been idle since {version}: who can take a look at {part}?",
        "I squashed the commits for {function} as you asked.",
        "Who signs off changes to {part}? Mine has been open for a month.",
    ],
}

# These say nothing about the label.
CONTEXT = [
    "Seen with {version} on {platform}.",
    "We use {part} every day.",
    "It started after the upgrade to {version}.",
    "My setup is {platform} with {option}.",
    "This came up in the weekly meeting.",
    "It is not urgent.",
    "Several users of {part} asked for it.",
    "I can help if needed.",
    "Related to the work on {function}.",
    "The same holds for {part}.",
]

# These speak of another label's subject, but ask for nothing.
ASIDES = [
    "The docs for {part} are fine.",
    "The tests of {function} pass.",
    "The review of {part} is finished.",
    "I read the guide first.",
    "The suite is green on {platform}.",
    "The pull request for {option} was merged.",
    "There is already a case for {function}.",
    "The manual covers {option}.",
    "The patch for {part} was approved.",
]

SLOTS = {
    "part": ["the parser", "the scheduler", "the cache", "the uploader", "the retry loop", "the config loader",
             "the log writer", "the plugin host", "the event queue", "the archive reader", "the token store",
             "the watcher"],
    "function": ["parseHeader", "flushQueue", "openArchive", "mergeConfig", "retryRequest", "signToken", "splitPath",
                 "writeIndex", "loadPlugin", "readChunk", "normalizeUrl", "closeSession"],
    "option": ["--dry-run", "--strict", "--max-age", "--threads", "--profile", "--no-color", "--since", "--format"],
    "option2": ["--quiet", "--force", "--output", "--depth"],
    "version": ["1.4", "2.0", "2.1", "2.3", "3.0"],
    "platform": ["Ubuntu", "macOS", "Windows", "Alpine"],
}

# Every sixth phrase occurs in the test rows alone: what is learned has to hold for words that were not seen.
HELD_OUT = 6
TRAIN_ROWS, TEST_ROWS = 450, 150


def filled(phrase):
    return phrase.format(**{slot: random.choice(values) for slot, values in SLOTS.items()})


def issue(label, split):
    phrases = [
        phrase
        for number, phrase in enumerate(PHRASES[label])
        if split == "test" or number % HELD_OUT != HELD_OUT - 1
    ]
    sentences = [filled(random.choice(phrases))]
    if random.random() < 0.6:
        sentences.append(filled(random.choice(CONTEXT)))
    if random.random() < 0.5:
        sentences.append(filled(random.choice(ASIDES)))
    random.shuffle(sentences)
    return " ".join(sentences)


rows, seen = [], set()
for split, count in ("train", TRAIN_ROWS), ("test", TEST_ROWS):
    for number in range(count):
        label = list(PHRASES)[number % len(PHRASES)]
        text = issue(label, split)
        while text in seen:
            text = issue(label, split)
        seen.add(text)
        rows.append({"split": split, "label": label, "text": text})

with open(pathlib.Path(__file__).parent / "issues.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
