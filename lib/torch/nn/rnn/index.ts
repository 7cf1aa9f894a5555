// The recurrent layers and their cells.
export { GRUCell, LSTMCell, RNNCell, type RNNCellOptions } from "./cells.ts";
export { GRU, RNN, type RNNOptions } from "./gru.ts";
export { LSTM, type LSTMOptions, type LSTMState } from "./lstm.ts";
export type { RecurrentOptions } from "./recurrent.ts";
