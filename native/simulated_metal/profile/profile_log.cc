// Formats the lines and tables of the profile log.
#include "simulated_metal/profile/profile_log.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdio>

#include "simulated_metal/memory/heap_log.h"

namespace mpslab::metal {
namespace {

/// Copies of at most this many bytes count as scalars, because `item()` makes them.
constexpr size_t kScalarBytes = sizeof(int64_t);

std::string centred(const std::string& text, size_t width, char fill = ' ') {
  if (text.size() >= width) return text;
  const size_t before = (width - text.size()) / 2;
  return std::string(before, fill) + text + std::string(width - text.size() - before, fill);
}

std::string fixed(double number, int places = 3) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", places, number);
  return text;
}

struct Column {
  const char* title;
  size_t width;
};

void printHead(const std::string& title, size_t width, const std::vector<Column>& columns,
               const char* last = "") {
  std::string head;
  for (const auto& [name, columnWidth] : columns) head += centred(name, columnWidth) + "|";
  if (*last == '\0') head.pop_back();
  std::fprintf(stderr, "\n%s\n%s%s\n%s\n", centred(title, width, '-').c_str(), head.c_str(), last,
               std::string(width, '-').c_str());
}

/// A cell is one character wider than its column, because the head has a bar between columns.
void printRow(const std::vector<Column>& columns, const std::vector<std::string>& cells) {
  std::string row;
  for (size_t i = 0; i < columns.size(); ++i) row += centred(cells[i], columns[i].width + 1);
  if (cells.size() > columns.size()) row += " " + cells.back();
  std::fprintf(stderr, "%s\n", row.c_str());
}

/// The rows of a table, sorted by the mean time of their runs, the longest first.
template <class Totals, class Mean>
std::vector<typename Totals::const_pointer> slowestFirst(const Totals& totals, Mean mean) {
  std::vector<typename Totals::const_pointer> rows;
  for (const auto& row : totals) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto* a, const auto* b) { return mean(a->second) > mean(b->second); });
  return rows;
}

}  // namespace

ProfileLog::ProfileLog(long bits) : bits_(bits) {
  TORCH_CHECK_VALUE(bits >= 0 && bits <= kAll, "invalid log options ", bits,
                    " passed to PYTORCH_MPS_LOG_PROFILE_INFO");
  if ((bits_ & kEveryTable) != 0) bits_ |= kAllTables;
}

bool ProfileLog::tells(Execution::Kind kind) const {
  switch (kind) {
    case Execution::Kind::Operation:
      return (bits_ & (kOperations | kOperationTable)) != 0;
    case Execution::Kind::Copy:
      return (bits_ & (kCopies | kCopyTable)) != 0;
    default:
      return (bits_ & (kFallbacks | kFallbackTable)) != 0;
  }
}

void ProfileLog::launched(const Execution& execution) {
  Totals& totals = totalsOf(execution.kind);
  Total& total = totals[execution.name];
  if (total.number == 0) total.number = static_cast<int64_t>(totals.size());
  ++total.launched;
  if (!tellsTimes()) print(execution, total, total.launched);
}

void ProfileLog::ended(const Execution& execution) {
  Total& total = totalsOf(execution.kind)[execution.name];
  ++total.ended;
  total.bytes += execution.bytes;
  total.scheduledMs += execution.queued ? execution.scheduledMs() : execution.ranMs();
  total.ranMs += execution.queued ? execution.ranMs() : 0;
  if (execution.bytes <= kScalarBytes) {
    ++total.scalars;
    total.scalarsMs += execution.queued ? execution.ranMs() : 0;
  }
  total.blocking += execution.blocking ? 1 : 0;
  total.byHost += execution.queued ? 0 : 1;
  if (tellsTimes()) print(execution, total, total.ended);
}

/// Returns the times of an execution as text. Work that the host did itself has no time of the GPU.
std::string ProfileLog::times(const Execution& execution) const {
  if (!tellsTimes()) return "";
  if (!execution.queued) return ", cpu=" + fixed(execution.ranMs()) + " ms";
  const std::string gpu = ", gpu=" + fixed(execution.ranMs()) + " ms";
  return (bits_ & kKernelTime) == 0 ? gpu : gpu + ", cpu=" + fixed(execution.scheduledMs()) + " ms";
}

void ProfileLog::print(const Execution& execution, const Total& total, int64_t run) const {
  std::string line;
  switch (execution.kind) {
    case Execution::Kind::Operation:
      if ((bits_ & kOperations) == 0) return;
      line = execution.text + " (id=K" + std::to_string(total.number) + ", run=" + std::to_string(run);
      break;
    case Execution::Kind::Copy:
      if ((bits_ & kCopies) == 0) return;
      line = execution.text + " (len=" + formatMetalBytes(execution.bytes);
      break;
    case Execution::Kind::Fallback:
      if ((bits_ & kFallbacks) == 0) return;
      line = "CPU Fallback::" + execution.text + " (id=" + std::to_string(total.number) +
             ", run=" + std::to_string(run) + ", CopyOverhead=" + formatMetalBytes(execution.bytes);
  }
  std::fprintf(stderr, "simulated %s%s)\n", line.c_str(), times(execution).c_str());
}

void ProfileLog::printTables() const {
  if ((bits_ & kOperationTable) != 0) printOperations();
  if ((bits_ & kFallbackTable) != 0) printFallbacks();
  if ((bits_ & kCopyTable) != 0) printCopies();
}

void ProfileLog::printOperations() const {
  const Totals& totals = totalsOf(Execution::Kind::Operation);
  if (totals.empty()) {
    std::fprintf(stderr, "There are no simulated MPS operations logged for profiling\n");
    return;
  }
  const std::vector<Column> columns{
      {"ID", 6}, {"#Runs", 7}, {"Mean KRNL(ms)", 15}, {"Mean GPU(ms)", 14}, {"Total GPU(ms)", 15}};
  printHead(" Simulated MPS Operations Profiling: 0 graphs, " + std::to_string(totals.size()) + " kernels ",
            200, columns, " Operation Name");
  const auto per = [](double ms, const Total& total) {
    return total.ended == 0 ? 0.0 : ms / static_cast<double>(total.ended);
  };
  for (const auto* row : slowestFirst(totals, [&](const Total& total) { return per(total.ranMs, total); })) {
    const auto& [name, total] = *row;
    printRow(columns, {"K" + std::to_string(total.number), std::to_string(total.ended),
                       fixed(per(total.scheduledMs, total)), fixed(per(total.ranMs, total)),
                       fixed(total.ranMs), name});
  }
}

void ProfileLog::printFallbacks() const {
  const Totals& totals = totalsOf(Execution::Kind::Fallback);
  if (totals.empty()) {
    std::fprintf(stderr, "There are no simulated CPU Fallbacks logged for profiling\n");
    return;
  }
  Total all;
  for (const auto& [name, total] : totals) {
    all.ended += total.ended;
    all.scheduledMs += total.scheduledMs;
    all.bytes += total.bytes;
  }
  const std::vector<Column> columns{
      {"ID", 5}, {"#Runs", 7}, {"Mean CPU(ms)", 14}, {"Total CPU(ms)", 15}, {"Copy Overhead", 15}};
  printHead(" Simulated CPU Fallback Profiling: Total " + std::to_string(all.ended) + " Runs, " +
                fixed(all.scheduledMs, 2) + " ms, " + formatMetalBytes(all.bytes) + " Copies ",
            150, columns, " Operation Name");
  const auto mean = [](const Total& total) { return total.scheduledMs / static_cast<double>(total.ended); };
  for (const auto* row : slowestFirst(totals, mean)) {
    const auto& [name, total] = *row;
    printRow(columns, {std::to_string(total.number), std::to_string(total.ended), fixed(mean(total)),
                       fixed(total.scheduledMs), formatMetalBytes(total.bytes), name});
  }
}

void ProfileLog::printCopies() const {
  const Totals& totals = totalsOf(Execution::Kind::Copy);
  Total all;
  for (const auto& [kind, total] : totals) {
    all.ended += total.ended;
    all.bytes += total.bytes;
    all.scalars += total.scalars;
  }
  if (all.ended == 0) {
    std::fprintf(stderr, "There are no simulated copies logged for profiling\n");
    return;
  }
  const std::vector<Column> columns{{"Kind", 12},           {"Total#", 10},        {"Total Size", 17},
                                    {"Total KRNL(ms)", 16}, {"Total GPU(ms)", 15}, {"Scalars", 9},
                                    {"Scalars GPU", 13},    {"Blocking", 10},      {"memcpy", 8}};
  printHead(" Simulated MPS Copy Profiling: " + std::to_string(all.ended) + " total copies (" +
                formatMetalBytes(all.bytes) + "), " + std::to_string(all.scalars) + " scalar copies ",
            160, columns);
  for (const auto& [kind, total] : totals) {
    const double share = total.ranMs > 0 ? total.scalarsMs / total.ranMs * 100 : 0;
    printRow(columns, {kind, std::to_string(total.ended), formatMetalBytes(total.bytes),
                       fixed(total.scheduledMs), fixed(total.ranMs), std::to_string(total.scalars),
                       fixed(share, 2) + " %", std::to_string(total.blocking), std::to_string(total.byHost)});
  }
}

}  // namespace mpslab::metal
