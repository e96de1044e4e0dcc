#include "instrument/place_sites.h"

#include "analysis/function_code.h"
#include "instrument/header_places.h"
#include "instrument/prove.h"
#include "instrument/series.h"
#include "instrument/settling.h"
#include "instrument/setup_place.h"
#include "instrument/timer_readings.h"

namespace gwatch::instrument {

void place_sites(const ptx::Module& module, const Options& options, Plan* plan) {
    for (FunctionPlan& planned : plan->functions) {
        const ptx::Function& function = module.functions()[planned.function];
        const analysis::FunctionCode code =
            analysis::read_function(module, function, options.shape);
        if (function.is_entry) {
            if (options.prove) prove_sites(code, planned, plan);
            if (options.prove && options.series) form_series(code, &planned, &plan->table);
            if (options.prove && options.series) add_timer_readings(code, &planned, &plan->table);
            planned.setup = setup_place(code, planned);
            planned.headers = header_places(code, planned);
        }
        find_settling(code, plan->table, &planned);
    }
}

}  // namespace gwatch::instrument
