// Long work that leaves the page time to answer.

const BUDGET_MS = 10;

/** Calls `work` for 0 to count - 1; between stretches of it the page may draw. False when `stopped` became true. */
export async function inSlicesOfTime(count: number, work: (index: number) => void, stopped: () => boolean): Promise<boolean> {
  let until = performance.now() + BUDGET_MS;
  for (let index = 0; index < count; index++) {
    work(index);
    if ((index & 15) !== 0 || performance.now() < until) continue;
    await new Promise((done) => setTimeout(done));
    if (stopped()) return false;
    until = performance.now() + BUDGET_MS;
  }
  return !stopped();
}
