# Runs one study of Optuna for `lab.search`: a line of JSON asks, a line of JSON answers. The trials themselves run in the
# session that started this process, whose end of the pipe ends it.
import json
import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

optuna.logging.set_verbosity(optuna.logging.ERROR)
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


def distribution(given):
    if "choices" in given:
        return CategoricalDistribution(given["choices"])
    kind = IntDistribution if given["integer"] else FloatDistribution
    step = given["step"] if given["step"] is not None else (1 if given["integer"] else None)
    return kind(given["low"], given["high"], log=given["log"], step=step)


def sampler(name, seed):
    if name == "random":
        return optuna.samplers.RandomSampler(seed=seed)
    return optuna.samplers.TPESampler(seed=seed)


def pruner(name):
    if name == "median":
        return optuna.pruners.MedianPruner()
    if name == "hyperband":
        return optuna.pruners.HyperbandPruner()
    return optuna.pruners.NopPruner()


class Study:
    def open(self, name, space, direction, sampler_name, pruner_name, seed, journal):
        self.distributions = {key: distribution(given) for key, given in space.items()}
        storage = None
        if journal is not None:
            backend = optuna.storages.journal.JournalFileBackend(journal)
            storage = optuna.storages.JournalStorage(backend)
        self.study = optuna.create_study(
            study_name=name,
            storage=storage,
            direction=direction,
            pruner=pruner(pruner_name),
            load_if_exists=True,
        )
        before = [trial for trial in self.study.get_trials(deepcopy=False) if trial.state in FINISHED]
        # With the first seed a study that goes on would draw its first trials again.
        self.study.sampler = sampler(sampler_name, seed + len(before))
        self.open_trials = {}
        return {
            "version": optuna.__version__,
            "before": [
                {
                    "number": trial.number,
                    "parameters": trial.params,
                    "state": trial.state.name.lower(),
                    "value": trial.value,
                    "steps": len(trial.intermediate_values),
                    "seconds": trial.duration.total_seconds(),
                }
                for trial in before
            ],
        }

    def ask(self):
        trial = self.study.ask(self.distributions)
        self.open_trials[trial.number] = trial
        return {"number": trial.number, "parameters": trial.params}

    def report(self, number, value, step):
        trial = self.open_trials[number]
        trial.report(value, step)
        return {"stop": bool(trial.should_prune())}

    def tell(self, number, value, state):
        trial = self.open_trials.pop(number)
        self.study.tell(trial, value if state == "complete" else None, state=TrialState[state.upper()])
        return {}


study = Study()
for line in sys.stdin:
    call = json.loads(line)
    try:
        answer = json.dumps(getattr(study, call["call"])(**call["arguments"]))
    except Exception as error:
        answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
    print(answer, flush=True)
