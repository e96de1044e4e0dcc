// Words for warps, blocks and threads.

import { RunFacts } from "./facts";

/** "block 517 (5, 4, 0)": the linear id and its x, y, z. */
export function blockName(facts: RunFacts, block: number): string {
  const width = Math.max(facts.launch.grid[0], 1);
  const height = Math.max(facts.launch.grid[1], 1);
  return `block ${block} (${block % width}, ${Math.floor(block / width) % height}, ${Math.floor(block / (width * height))})`;
}

/** Which threads of a warp a mask holds: "all 32 threads", "thread 0", "threads 0-15, 20". */
export function threadNames(facts: RunFacts, warp: number, mask: number): string {
  const [x, y, z] = facts.launch.block;
  const threads = Math.min(x * y * z - 32 * warp, 32);
  if (threads > 1 && mask >>> 0 === 2 ** threads - 1) return `all ${threads} threads`;
  const ranges: string[] = [];
  for (let thread = 0; thread < 32; thread++) {
    if (!((mask >>> thread) & 1)) continue;
    const first = thread;
    while (thread < 31 && (mask >>> (thread + 1)) & 1) thread++;
    ranges.push(first === thread ? `${first}` : `${first}\u2013${thread}`);
  }
  if (ranges.length === 0) return "no thread";
  const single = ranges.length === 1 && !ranges[0].includes("\u2013");
  return `${single ? "thread" : "threads"} ${ranges.join(", ")}`;
}
