// The page's metadata as src/report/html_facts.cpp writes it; units stand in the names.

import { Fidelity } from "./fidelity";

export const PAGE_VERSION = 2;

export interface Launch {
  kernel: string;
  kernel_demangled: string;
  dsl: string;
  device: string;
  device_index: number;
  grid: [number, number, number];
  block: [number, number, number];
  cluster: [number, number, number];
  dynamic_shared_bytes: number;
  in_graph: boolean;
  sm_count: number;
  /** Of the process in a distributed job; left out outside of one. */
  rank?: number;
  /** Tells the machine from others; left out when unknown. */
  host?: string;
}

/** -1 where unknown. */
export interface Build {
  registers: number;
  local_bytes: number;
  spill_store_bytes: number;
  spill_load_bytes: number;
  static_shared_bytes: number;
}

export interface Compile {
  assembler: string;
  assembler_origin: string;
  assembler_version: string;
  assembler_flags: string[];
  ptx_version: string;
  ptx_target: string;
  ptx_source: string;
  lowered_from: string;
  remarks: string[];
  original: Build;
  traced: Build;
}

/** How a payload's bits are to be read: signed, unsigned or floating-point, of so many bits; or as hexadecimal digits. */
export type PayloadKind = "s32" | "u32" | "f32" | "s64" | "u64" | "f64" | "bits";

export interface Scope {
  name: string;
  /** -1: marked by name. */
  id: number;
  file: string;
  line: number;
  /** Of what its markers carry along; left out when that is nothing. */
  payload?: PayloadKind;
}

export interface Counts {
  events: number;
  records: number;
  dropped_events: number;
  dropped_records: number;
  orphan_starts: number;
  orphan_ends: number;
  warps_in_grid: number;
  warps_recorded: number;
  blocks_in_grid: number;
  blocks_selected: number;
  buffer_bytes: number;
  buffer_bytes_needed: number;
}

export interface Time {
  clock_mhz: number;
  resolution_ns: number;
  alignment_ns: number;
  span_ns: number;
  start_globaltimer_ns: string;
}

export interface Statistics {
  scope: number;
  count: number;
  min_ns: number;
  p50_ns: number;
  mean_ns: number;
  p95_ns: number;
  max_ns: number;
  total_ns: number;
  warps: number;
}

export interface Activity {
  row: number;
  block: number;
  warp: number;
  lifetime_ns: number;
  gap_ns: number;
  longest_gap_ns: number;
  longest_gap_start_ns: number;
}

export interface Pipeline {
  warps: number;
  lifetime_ns: number;
  active_ns: number;
  gap_ns: number;
  active_ratio: number;
  most_gap: Activity[];
}

/** A column of `count` values of `planes` bytes each; see columns.ts. */
export interface ColumnFacts {
  name: string;
  count: number;
  planes: number;
}

/** Lines of a file from `first_line` on. */
export interface SourcePart {
  first_line: number;
  lines: string[];
}

/** A file that scopes stand in; without parts where its text was not at hand. */
export interface SourceFile {
  file: string;
  /** Written to after the trace was taken. */
  changed: boolean;
  parts: SourcePart[];
}

export interface RunFacts {
  fidelity: Fidelity | null;
  launch: Launch;
  compile: Compile;
  scopes: Scope[];
  counts: Counts;
  time: Time;
  stage_seconds: Record<string, number>;
  warnings: string[];
  statistics: Statistics[];
  pipeline: Pipeline;
  /** When it began, from the first run of its host, which may be another GPU's; absent where that is unknown. */
  start_ns?: number;
  first_ns: number;
  last_ns: number;
  columns: ColumnFacts[];
  source: SourceFile[];
  /** Of all columns together, before compression. */
  bytes: number;
  chunks: number;
}

export interface Facts {
  version: number;
  producer: string;
  title: string;
  created: string;
  runs: RunFacts[];
}
