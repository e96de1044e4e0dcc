// Which times and rows the timeline shows. Pixels are CSS pixels; time and rows run to the right and down.

const MAX_ROW_HEIGHT = 40;
const MIN_NS_PER_PIXEL = 1 / 64;

export class Viewport {
  width = 1;
  height = 1;
  begin = 0;
  nsPerPixel = 1;
  topRow = 0;
  rowHeight = 1;

  constructor(
    private readonly first: number,
    private readonly last: number,
    readonly rowCount: number,
  ) {}

  /** Shows all times and all rows. */
  fit(preferredRowHeight: number): void {
    this.begin = this.first;
    this.nsPerPixel = this.widest();
    this.topRow = 0;
    this.rowHeight = preferredRowHeight;
    this.clamp();
  }

  /** Shows [begin, end] ns with a margin on both sides. */
  showTimes(begin: number, end: number): void {
    const margin = Math.max((end - begin) * 0.15, MIN_NS_PER_PIXEL);
    this.nsPerPixel = (end - begin + 2 * margin) / this.width;
    this.begin = begin - margin;
    this.clamp();
  }

  /** Brings a row into the middle, high enough to be read. */
  showRow(row: number): void {
    this.rowHeight = Math.max(this.rowHeight, 16);
    this.topRow = row + 0.5 - this.height / this.rowHeight / 2;
    this.clamp();
  }

  timeAt(x: number): number {
    return this.begin + x * this.nsPerPixel;
  }

  xOf(time: number): number {
    return (time - this.begin) / this.nsPerPixel;
  }

  rowAt(y: number): number {
    return this.topRow + y / this.rowHeight;
  }

  yOf(row: number): number {
    return (row - this.topRow) * this.rowHeight;
  }

  /** Less than 1 zooms in; the time at `x` stays there. */
  zoomTime(factor: number, x: number): void {
    const fixed = this.timeAt(x);
    this.nsPerPixel = Math.min(Math.max(this.nsPerPixel * factor, MIN_NS_PER_PIXEL), this.widest());
    this.begin = fixed - x * this.nsPerPixel;
    this.clamp();
  }

  /** More than 1 makes rows higher; the row at `y` stays there. */
  zoomRows(factor: number, y: number): void {
    const fixed = this.rowAt(y);
    this.rowHeight = Math.min(this.rowHeight * factor, MAX_ROW_HEIGHT);
    this.rowHeight = Math.max(this.rowHeight, this.lowestRowHeight());
    this.topRow = fixed - y / this.rowHeight;
    this.clamp();
  }

  /** Moves the picture by pixels. */
  pan(dx: number, dy: number): void {
    this.begin -= dx * this.nsPerPixel;
    this.topRow -= dy / this.rowHeight;
    this.clamp();
  }

  /** Whether moving by `rows` would change anything. */
  canScroll(rows: number): boolean {
    const largest = this.rowCount - this.height / this.rowHeight;
    return rows < 0 ? this.topRow > 0 : this.topRow < largest - 1e-9;
  }

  /** The height of a row at which all of them fit. */
  lowestRowHeight(): number {
    return Math.min(this.height / Math.max(this.rowCount, 1), MAX_ROW_HEIGHT);
  }

  clamp(): void {
    this.nsPerPixel = Math.min(this.nsPerPixel, this.widest());
    const lastBegin = this.last - this.width * this.nsPerPixel;
    const slack = (this.width * this.nsPerPixel) / 50;
    this.begin = Math.min(Math.max(this.begin, this.first - slack), Math.max(lastBegin + slack, this.first - slack));
    this.topRow = Math.max(0, Math.min(this.topRow, this.rowCount - this.height / this.rowHeight));
  }

  private widest(): number {
    return Math.max((this.last - this.first) / this.width, MIN_NS_PER_PIXEL) * 1.02;
  }
}
