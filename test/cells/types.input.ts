// Nothing but types: the cell runs, and has no value.
interface Config {
  readonly rate: number;
}
type Rate = Config["rate"];
declare const elsewhere: Config;
declare function missing(rate: Rate): void;
