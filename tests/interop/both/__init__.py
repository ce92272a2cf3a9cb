"""Programs that run on both TensorFlow and Weir, with `tf` as a parameter. PROGRAMS has all of them by name."""
from both import (flow_programs, graph_programs, image_programs, metric_programs, optimizer_programs, queue_programs, rnn_programs, schedule_programs,
                  summary_programs)

PROGRAMS = {program.name: program for module in (graph_programs, image_programs, flow_programs, schedule_programs, optimizer_programs, queue_programs,
                                                                 summary_programs, rnn_programs, metric_programs)
            for program in module.programs()}
