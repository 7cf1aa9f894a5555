// What `mpslab --help` prints.

export const HELP = `mpslab: a Jupyter kernel for TypeScript with PyTorch's tensors

  mpslab                         set up what is missing, then open JupyterLab here; without a notebook, on the tour
  mpslab setup                   set up what is missing: libtorch and JupyterLab, for all projects of this user
      --compile                  ... and compile the addon, though there is one for this platform
  mpslab install [--user]        make the kernel known to your Jupyter
  mpslab install --sys-prefix    ... to the active Python environment, or the one of set-up
  mpslab install --prefix DIR    ... to the Jupyter under DIR
  mpslab uninstall               remove kernelspec, set-up and caches of this user
      --history                  ... and the history of the cells that you ran
      --sys-prefix, --prefix DIR ... and the kernelspec of that Jupyter
  mpslab lab [ARGUMENTS]         open JupyterLab; the arguments are its own
  mpslab execute NOTEBOOK        run a notebook; it and an HTML page go to output/
      --output FOLDER            ... to another folder
      --timeout SECONDS          give up where a cell takes longer
      --allow-errors             go on after a cell that fails
      --record                   keep the run in a logbook there: its cells, patch, files and lock, for mpslab rerun
  mpslab run FILE [ARGUMENTS]    run a TypeScript file: types checked, epochs flushed; under torchrun or srun as well
      --inspect                  ... once the debugger of Chrome or VS Code has attached; stands before the file
  mpslab check FILE ...          look for errors of types in TypeScript files and notebooks, with what mends each; runs nothing
  mpslab replay NOTEBOOK         run a notebook again; print the first difference from what it holds
      --store                    ... keep outputs, checksums of tensors and byte counts in it instead
      --tolerance SHARE          ... of numbers; 0 where they were stored, 0.01 on another machine
      --timeout SECONDS          give up where a cell takes longer
  mpslab rerun [ID]              run a logbook's run again in a clean folder; print the first difference; no ID lists runs
      --logbook FILE             ... of this logbook; those in this folder and its folders if not said
      --notebook FILE            ... whose outputs are compared; the notebook beside the logbook if not said
      --folder FOLDER            ... an empty folder that stays; a temporary one if not said
      --repository FOLDER        ... a clone that has the run's commit; the logbook's own if not said
      --reviewed CHECKSUM        ... whose program you have read in mpslab report; without it nothing runs
      --install                  ... with the packages of the run's lock file
      --tolerance SHARE          as for replay, like --timeout SECONDS
  mpslab runs [LOGBOOK ...]      a table of runs with parameters, metrics and results; this folder's if not said
              [FOLDER ...]       ... of a papermill sweep
      --sort NAME                ... the largest NAME first, as --sort accuracy; --ascending turns it round
      --where "NAME < VALUE"     ... those only; also <= > >= = !=, and the option may be said again
      --mlflow FOLDER            ... and write them there as MLflow's files, for mlflow ui --backend-store-uri FOLDER
  mpslab report [ID ...]         write a page of one run, or of several on one chart, that opens offline; no ID lists runs
      --logbook FILE             ... of this logbook; may be said again, for another machine's
      --output FILE              ... to another file than output/report-ID.html
      --notebook, --repository   as for rerun, where the page shows what would run
  mpslab report FOLDER ...       write such a page of a papermill sweep, or of several on one chart
      --live                     ... again with each point until all have run; an open page shows itself anew
  mpslab bundle ID               pack a run for another machine: cells, files, lock file, data set, golden command
      --logbook FILE             as for rerun
      --output FOLDER            ... to another folder than output/bundle-ID
      --dataset FILE             ... with this copy of the run's data set
      --seconds SECONDS          of the smoke window there; 120 if not said
  mpslab smoke FOLDER            run a bundle's cells for that window; print the plateau test and what differs
      --reviewed CHECKSUM        as for rerun, like --install
      --dataset FILE             the data set here, where the bundle has no copy
      --notebook FILE            the notebook with the secrets that the bundle's lacks
      --seconds SECONDS          another window
  mpslab papermill NOTEBOOK -p NAME VALUES ...
                                 run a notebook for every combination of values, as -p batchSize 32,64 -p rate 0.1,0.01
      --grid FILE                ... of a YAML file, as batchSize: [32, 64]
      --output FOLDER            for notebooks, journal and table; output/NOTEBOOK/ if not said
      --seed NUMBER              fixes the order of the points; 0 if not said
      --timeout SECONDS          give a point up where a cell takes longer
      --restart                  run all points again, and not only those that are missing
      --allow-errors             end with 0 though points failed, as long as one succeeded
      --jobs N                   run N points at the same time, each with its share of the cores; 1 if not said
      --engine ray://HOST:PORT   hand the points to a Ray cluster; ray alone means the one of this machine
      --num-cpus N, --num-gpus N what Ray reserves for a point; 1 and 0 if not said
  mpslab --version               print the version
  mpslab COMMAND --help          what is said here of one command
  mpslab doctor                  look at everything that a notebook needs
      --report                   ... and write it to mpslab-report.txt with versions, settings and log, without secrets

Exit status: 0; 1 where a cell or a point failed, a comparison found a difference or something is missing; 130 after Ctrl-C.
`;
