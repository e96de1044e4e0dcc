// Which times and rows the timeline shows. Pixels are CSS pixels; time and rows run to the right and down.

export const LABEL_WIDTH = 122;
export const AXIS_HEIGHT = 26;
export const PREFERRED_ROW_HEIGHT = 22;
const MAX_ROW_HEIGHT = 40;
const READABLE_ROW_HEIGHT = 16;
const MIN_NS_PER_PIXEL = 1 / 64;

export class Viewport {
  /** Of the rows, without labels and axis. */
  width = 1;
  height = 1;
  /** Above the rows: the axis, and what stands below it. */
  top = AXIS_HEIGHT;
  begin = 0;
  nsPerPixel = 1;
  topRow = 0;
  rowHeight = 1;

  constructor(
    private readonly first: number,
    private readonly last: number,
    public rowCount: number,
  ) {}

  get end(): number {
    return this.timeAt(this.width);
  }

  /** Shows all times and all rows. */
  fit(): void {
    this.begin = this.first;
    this.nsPerPixel = this.widest();
    this.topRow = 0;
    this.rowHeight = this.fittingRowHeight();
    this.clamp();
  }

  /** Takes another number of rows; all of them stay in sight if they were. */
  setRowCount(count: number): void {
    const all = this.showsAllRows();
    this.rowCount = count;
    if (all) this.rowHeight = this.fittingRowHeight();
    this.clamp();
  }

  /** Takes another size; all rows stay in sight if they were, and the times that were. */
  resize(width: number, height: number): void {
    const all = this.showsAllRows();
    this.nsPerPixel *= this.width / width;
    this.width = width;
    this.height = height;
    if (all) this.rowHeight = this.fittingRowHeight();
    this.clamp();
  }

  /** Shows exactly these; a value that is no number stays as it is. */
  restore(begin: number, end: number, topRow: number, rowHeight: number): void {
    if (end > begin) {
      this.begin = begin;
      this.nsPerPixel = Math.max((end - begin) / this.width, MIN_NS_PER_PIXEL);
    }
    if (rowHeight > 0) this.rowHeight = rowHeight;
    if (topRow >= 0) this.topRow = topRow;
    this.clamp();
  }

  /** Shows [begin, end] ns with a margin on both sides. */
  showTimes(begin: number, end: number, margin = 0.15): void {
    const free = Math.max((end - begin) * margin, MIN_NS_PER_PIXEL);
    this.nsPerPixel = Math.max((end - begin + 2 * free) / this.width, MIN_NS_PER_PIXEL);
    this.begin = (begin + end - this.width * this.nsPerPixel) / 2;
    this.clamp();
  }

  /** Shows the rows [first, end) and as few others as can be. */
  showRows(first: number, end: number): void {
    this.rowHeight = Math.min(this.height / Math.max(end - first, 1), MAX_ROW_HEIGHT);
    this.topRow = first;
    this.clamp();
  }

  /** Moves until [begin, end] ns is in sight, and wide enough to be seen. */
  showAlso(begin: number, end: number): void {
    const width = this.width * this.nsPerPixel;
    if (end - begin > 0.8 * width || end - begin < 3 * this.nsPerPixel) return this.showTimes(begin, end, 2);
    if (begin < this.begin || end > this.begin + width) this.begin = (begin + end - width) / 2;
    this.clamp();
  }

  /** Brings a row into sight, high enough to be seen. */
  showRow(row: number): void {
    const seen = row >= this.topRow && row + 1 <= this.rowAt(this.height);
    if (seen && this.rowHeight >= READABLE_ROW_HEIGHT / 2) return;
    this.rowHeight = Math.max(this.rowHeight, READABLE_ROW_HEIGHT);
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
    this.rowHeight = Math.max(this.rowHeight, this.fittingRowHeight());
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

  /** How many rows the height shows at most. */
  rowsInSight(): number {
    return Math.min(Math.ceil(this.height / this.rowHeight), this.rowCount);
  }

  private clamp(): void {
    this.nsPerPixel = Math.min(this.nsPerPixel, this.widest());
    const lastBegin = this.last - this.width * this.nsPerPixel;
    const slack = (this.width * this.nsPerPixel) / 50;
    this.begin = Math.min(Math.max(this.begin, this.first - slack), Math.max(lastBegin + slack, this.first - slack));
    this.rowHeight = Math.min(Math.max(this.rowHeight, this.fittingRowHeight()), MAX_ROW_HEIGHT);
    this.topRow = Math.max(0, Math.min(this.topRow, this.rowCount - this.height / this.rowHeight));
  }

  private showsAllRows(): boolean {
    return this.rowHeight <= this.fittingRowHeight() * 1.001;
  }

  /** The height at which all rows are in sight, if that is lower than usual. */
  private fittingRowHeight(): number {
    return Math.min(PREFERRED_ROW_HEIGHT, this.height / Math.max(this.rowCount, 1));
  }

  private widest(): number {
    return Math.max((this.last - this.first) / this.width, MIN_NS_PER_PIXEL) * 1.02;
  }
}
