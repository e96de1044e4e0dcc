// How many warps were alive over time.

/** Counts of things that come and go, exact over any stretch of time. */
export class Occupancy {
  private readonly enter: Float64Array;
  private readonly exit: Float64Array;
  private readonly enterSums: Float64Array;
  private readonly exitSums: Float64Array;
  readonly most: number;

  constructor(enter: Float64Array, exit: Float64Array) {
    this.enter = enter.slice().sort();
    this.exit = exit.slice().sort();
    this.enterSums = runningSums(this.enter);
    this.exitSums = runningSums(this.exit);
    this.most = this.countMost();
  }

  /** The mean count in [begin, end) ns. */
  mean(begin: number, end: number): number {
    return end > begin ? (this.integral(end) - this.integral(begin)) / (end - begin) : 0;
  }

  private integral(time: number): number {
    return passed(this.enter, this.enterSums, time) - passed(this.exit, this.exitSums, time);
  }

  private countMost(): number {
    let most = 0;
    for (let entered = 0, left = 0; entered < this.enter.length; entered++) {
      while (left < this.exit.length && this.exit[left] <= this.enter[entered]) left++;
      most = Math.max(most, entered + 1 - left);
    }
    return most;
  }
}

/** Summed over the times before `time`: how long ago each was. */
function passed(times: Float64Array, sums: Float64Array, time: number): number {
  let from = 0;
  for (let to = times.length; from < to; ) {
    const middle = (from + to) >>> 1;
    if (times[middle] > time) to = middle;
    else from = middle + 1;
  }
  return from * time - sums[from];
}

function runningSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i] + values[i];
  return sums;
}
