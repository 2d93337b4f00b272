// The entry of clang's plugin: options, the pass and where it stands (-fpass-plugin). Only this
// file knows that versions of LLVM differ.
#include "instrument/llvm/counting_pass.h"

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/OptimizationLevel.h>
#include <llvm/Passes/PassBuilder.h>
#if __has_include(<llvm/Plugins/PassPlugin.h>)
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif
#if __has_include(<llvm/TargetParser/Triple.h>)
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "ascribe/counter_points.h"

namespace ascribe {
namespace {

namespace cl = llvm::cl;
cl::list<std::string> only("ascribe-only", cl::CommaSeparated, cl::Hidden);
cl::list<std::string> skip("ascribe-skip", cl::CommaSeparated, cl::Hidden);
cl::list<std::string> centres("ascribe-centres", cl::CommaSeparated, cl::Hidden);
cl::opt<unsigned> leaf_statements("ascribe-leaf-statements", cl::Hidden);
cl::opt<std::string> placement("ascribe-placement", cl::Hidden);
cl::opt<bool> without_gs("ascribe-without-gs", cl::Hidden);
cl::opt<bool> report("ascribe-report", cl::Hidden);

class analyses : public function_estimates {
public:
  analyses(llvm::Function &function, llvm::FunctionAnalysisManager &manager)
      : frequencies(manager.getResult<llvm::BlockFrequencyAnalysis>(function)),
        loops(manager.getResult<llvm::LoopAnalysis>(function)),
        rounds(manager.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        entry(frequencies.getBlockFreq(&function.getEntryBlock()).getFrequency()) {}

  double frequency(const llvm::BasicBlock &block) override {
    return frequencies.getBlockFreq(&block).getFrequency() / std::max(entry, 1.0);
  }
  bool ends_surely(const llvm::BasicBlock &from, const llvm::BasicBlock &to) override {
    const llvm::Loop *loop = loops.getLoopFor(&to);
    return loop && loop->getHeader() == &to && loop->contains(&from) &&
           rounds.hasLoopInvariantBackedgeTakenCount(loop);
  }

private:
  llvm::BlockFrequencyInfo &frequencies;
  llvm::LoopInfo &loops;
  llvm::ScalarEvolution &rounds;
  double entry;
};

bool is_for_library(const llvm::Module &module) {
  return module.getPICLevel() != llvm::PICLevel::NotPIC &&
         module.getPIELevel() == llvm::PIELevel::Default;
}

counting_way way_of(const llvm::Module &module, const options &asked) {
  if (is_for_library(module)) return COUNTS_IN_LIBRARY;
  return asked.without_gs ? COUNTS_BY_WORD : COUNTS_BY_SEGMENT;
}

// Compilations for another machine may be part of the same command.
bool is_for_this_machine(const llvm::Module &module) {
  llvm::Triple target(module.getTargetTriple());
  return target.getArch() == llvm::Triple::x86_64 && target.isOSBinFormatELF();
}

} // namespace

llvm::Type *pointer_to(llvm::Type *type) {
#if LLVM_VERSION_MAJOR < 15
  return type->getPointerTo();
#else
  return llvm::PointerType::getUnqual(type->getContext());
#endif
}

options the_options() {
  return {only, skip, centres, leaf_statements, placement == "all", without_gs, report};
}

namespace {

// Debug information that nobody asked for is there for the description only. The wrapper tells us
// in the module, as options of the plugin's own do not reach all that clang runs.
bool has_lines_for_us(const llvm::Module &module) {
  for (const llvm::DICompileUnit *unit : module.debug_compile_units())
    if (unit->getFlags() != "ascribe-lines") return false;
  return true;
}

class counting {
public:
  counting(llvm::Module &module, llvm::FunctionAnalysisManager &manager)
      : module(module), manager(manager), asked(the_options()), way(way_of(module, asked)),
        description(module) {}

  // Whether anything was changed.
  bool run() {
    std::set<const llvm::Function *> chosen = chosen_functions(module, asked);
    take_marks_off(module);
    for (llvm::Function &function : module)
      if (chosen.count(&function) && way == COUNTS_BY_SEGMENT && refuse_use_of_gs(function))
        return false;
    std::set<const llvm::Function *> at_sites;
    if (!asked.all_counters) at_sites = counted_at_sites(module, chosen);
    for (llvm::Function &function : module)
      if (chosen.count(&function)) count_function(function, at_sites.count(&function) != 0);
    bool early = way != COUNTS_IN_LIBRARY && prepare_early_calls();
    if (!chosen.empty() || early) description.write(way);
    return true;
  }

private:
  llvm::Module &module;
  llvm::FunctionAnalysisManager &manager;
  options asked;
  counting_way way;
  unit_description description;

  void count_function(llvm::Function &function, bool at_sites) {
    if (asked.report) llvm::errs() << "ascribe: " << function.getName() << "\n";
    analyses estimates(function, manager);
    flow_graph graph = place_counters(function, estimates, asked, at_sites);
    counted_function counted = description.begin(function);
    count_flows(graph, function, counted);
    for (const call_through_pointer &site : add_points(graph, counted))
      count_callee(way, site);
    description.keep(counted);
  }

  // Whether there are any.
  bool prepare_early_calls() {
    std::set<llvm::Function *> resolvers = early_callers(module);
    for (llvm::Function *resolver : resolvers) {
      llvm::IRBuilder<> at(&*resolver->getEntryBlock().getFirstInsertionPt());
      at.SetCurrentDebugLocation(llvm::DebugLoc());
      give_gate(at);
    }
    return !resolvers.empty();
  }

  void count_flow(const flow_edge &edge, llvm::Function &function, size_t counter) {
    if (edge.is_entry) {
      llvm::BasicBlock &block = function.getEntryBlock();
      llvm::IRBuilder<> at(&block, block.getFirstInsertionPt());
      at.SetCurrentDebugLocation(llvm::DebugLoc());
      count(at, way, counter);
    } else {
      llvm::IRBuilder<> at(first_call_by_name(edge));
      count(at, way, counter);
    }
  }

  void count_flows(flow_graph &graph, llvm::Function &function, counted_function &counted) {
    for (const flow_edge &edge : graph.edges) {
      if (!edge.wanted) continue;
      size_t counter = edge.is_entry ? COUNTED_AT_SITES : NO_COUNTER;
      if (edge.counted) {
        counter = description.new_counters(1);
        count_flow(edge, function, counter);
      }
      description.add_flow(counted, graph.node(edge.from), graph.node(edge.to), counter);
    }
  }

  std::vector<call_through_pointer> add_points(const flow_graph &graph, counted_function &counted) {
    std::vector<call_through_pointer> sites;
    size_t flow = 0;
    for (const flow_edge &edge : graph.edges) {
      if (edge.is_entry) description.add_point(counted, POINT_ENTRY, nullptr, flow, 0);
      for (llvm::CallBase *call : edge.calls) {
        if (called_by_name(*call)) {
          description.add_point(counted, POINT_CALL, call, flow, 0);
          continue;
        }
        size_t cell = description.new_counters(2);
        description.add_point(counted, POINT_INDIRECT, call, edge.wanted ? flow : NO_FLOW, cell);
        sites.push_back({call, cell, counted.label, sites.size(), edge.frequency < 1});
      }
      flow += edge.wanted;
    }
    return sites;
  }
};

struct counting_pass : llvm::PassInfoMixin<counting_pass> {
  static bool isRequired() { return true; } // functions that are not to be optimised, too

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &manager) {
    if (!is_for_this_machine(module)) {
      take_marks_off(module);
      return llvm::PreservedAnalyses::all();
    }
    auto &functions =
        manager.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    counting(module, functions).run();
    if (has_lines_for_us(module)) llvm::StripDebugInfo(module);
    return llvm::PreservedAnalyses::none();
  }
};

// Runs before the optimiser. Inlining would take the types off calls of `new`, and hide where a
// function that is a cost centre begins and ends.
struct source_pass : llvm::PassInfoMixin<source_pass> {
  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    if (!is_for_this_machine(module)) return llvm::PreservedAnalyses::all();
    if (!has_lines_for_us(module)) write_allocations(module);
    return insert_centres(module, the_options()) ? llvm::PreservedAnalyses::none()
                                                 : llvm::PreservedAnalyses::all();
  }
};

// What the last pass that removes functions would remove later has no address to be described by.
void add_passes(llvm::PassBuilder &builder) {
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager &passes,
                                             llvm::OptimizationLevel,
                                             auto...) { passes.addPass(source_pass()); });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager &passes, llvm::OptimizationLevel level, auto...) {
        if (level != llvm::OptimizationLevel::O0) passes.addPass(llvm::GlobalDCEPass());
        passes.addPass(counting_pass());
      });
}

} // namespace
} // namespace ascribe

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "ascribe", "1", ascribe::add_passes};
}
