import type { GeneratedLine, GeneratedOrder } from './random-orders.ts';

/**
 * The expected money of an order after each step, in minor units. The ledger computes it from the steps, independently
 * of the server.
 */

export interface LedgerLine extends GeneratedLine {
  fulfilled: number;
  refunded: number;
  removed: number;
}

export interface Piece {
  line: LedgerLine;
  quantity: number;
  shipped: boolean;
}

export interface RefundPart {
  amount: number;
  /** The part of the refund that returns an overpayment. */
  overpaid: number;
  /** Whether staff pay the refund, not the provider. */
  isByHand: boolean;
}

export interface LedgerRefund extends RefundPart {
  id: string;
  status: 'pending' | 'succeeded' | 'failed';
  pieces: Piece[];
}

export interface LedgerDispute {
  reference: string;
  amount: number;
  status: 'open' | 'won' | 'lost';
}

export class Ledger {
  readonly order: GeneratedOrder;
  readonly lines: LedgerLine[];
  readonly refunds: LedgerRefund[] = [];
  readonly disputes: LedgerDispute[] = [];
  received = 0;
  isPaid = false;
  isCancelled = false;
  /** The price of returned items that reduced the amount due. */
  credit = 0;
  /** The amount of payments that staff recorded. */
  recorded = 0;
  /** The amount that the shop keeps when a refund cancels the order. */
  retained = 0;

  constructor(order: GeneratedOrder) {
    this.order = order;
    this.lines = order.lines.map((line) => ({ ...line, fulfilled: 0, refunded: 0, removed: 0 }));
    if (order.method === 'card') this.pay();
  }

  /** Pays the amount due. */
  pay(): void {
    this.isPaid = true;
    this.received = Math.max(this.received, this.order.total - this.credit);
  }

  /** Marks the order as paid if the received amount covers its price. */
  settle(): void {
    const isCovered = this.received > 0 && this.received >= this.order.total - this.credit;
    if (isCovered && !this.isCancelled) this.isPaid = true;
  }

  /**
   * Returns the price of more items of a line: the difference of two shares, each rounded half up in exact arithmetic.
   */
  share(line: LedgerLine, more: number): number {
    const upTo = (pieces: number) =>
      (2n * BigInt(line.charged) * BigInt(pieces) + BigInt(line.quantity)) / (2n * BigInt(line.quantity));
    return Number(upTo(line.refunded + more) - upTo(line.refunded));
  }

  get live(): number {
    return this.#refunded(({ status }) => status !== 'failed');
  }

  get done(): number {
    return this.#refunded(({ status }) => status === 'succeeded');
  }

  /** The sum of open and lost disputes, capped at the amount received and not refunded. */
  get disputed(): number {
    const claimed = this.disputes.reduce((sum, { amount, status }) => sum + (status === 'won' ? 0 : amount), 0);
    return Math.min(claimed, this.received - this.live);
  }

  get refundable(): number {
    return this.received - this.live - this.disputed;
  }

  get refundDue(): number {
    const left = this.received - this.done - this.disputed;
    if (this.isCancelled) return Math.max(0, left - this.retained);
    return Math.max(0, Math.min(left, this.#surplus('succeeded') - this.disputed));
  }

  get amountDue(): number {
    if (this.isCancelled) return 0;
    return Math.max(0, this.isPaid ? -this.#surplus('succeeded') : this.order.total - this.credit - this.received);
  }

  /** The amount at the provider that can still be refunded there. */
  get atProvider(): number {
    const returned = this.#refunded(({ status, isByHand }) => status !== 'failed' && !isByHand);
    return Math.max(0, this.received - this.recorded - returned - this.disputed);
  }

  /** Returns the amount received above the price, minus the refunds of it. */
  #surplus(...counted: LedgerRefund['status'][]): number {
    return this.received - (this.order.total - this.credit) - this.#overpaid(...counted);
  }

  #overpaid(...counted: LedgerRefund['status'][]): number {
    const refunds = this.refunds.filter(({ status }) => counted.includes(status));
    return refunds.reduce((sum, { overpaid }) => sum + overpaid, 0);
  }

  /** Changes the total, or the quantity and amounts of a line, as an edit does. */
  edit(change: number, line?: { of: LedgerLine } & GeneratedLine): void {
    this.order.total += change;
    if (line) Object.assign(line.of, { quantity: line.quantity, charged: line.charged, total: line.total });
    if (line) Object.assign(line.of, { discount: line.discount, tax: line.tax });
    this.settle();
  }

  record(amount: number): void {
    this.received += amount;
    this.recorded += amount;
    this.settle();
  }

  /** Reduces the price by returned items, instead of refunding them. */
  creditBy(amount: number): void {
    this.credit += amount;
    this.settle();
  }

  /**
   * The amount that the customer finally pays: the total minus the credit, refunds and disputes. For a cancelled order,
   * the amount that the shop keeps.
   */
  get charged(): number {
    if (this.isCancelled) return Math.min(this.retained, this.received - this.done - this.disputed);
    const lowered = this.done - this.#overpaid('succeeded');
    const disputed = this.disputed - Math.min(this.disputed, Math.max(0, this.#surplus('succeeded')));
    return Math.max(0, this.order.total - this.credit - lowered - disputed);
  }

  /**
   * Splits a refund: the provider pays as much as it can, staff pay the rest. The price of the refunded items reduces
   * the price of the order. Any excess returns an overpayment, and belongs to the provider's part first.
   */
  partsOf(amount: number, pieces: Piece[] = []): RefundPart[] {
    const price = pieces.reduce((sum, { line, quantity }) => sum + this.share(line, quantity), 0);
    const surplus = Math.max(0, this.#surplus('succeeded', 'pending') - this.disputed);
    const overpaid = Math.min(surplus, amount - Math.min(amount, price));
    const most = this.order.method === 'card' ? Math.min(amount, this.atProvider) : 0;
    const first = { amount: most, overpaid: Math.min(overpaid, most), isByHand: false };
    const rest = { amount: amount - most, overpaid: overpaid - first.overpaid, isByHand: true };
    return [first, rest].filter((part) => part.amount > 0);
  }

  /**
   * Adds a refund. Without `given` items, a refund of everything received removes all items of an order that has not
   * shipped.
   */
  refund(parts: Omit<LedgerRefund, 'pieces'>[], given: Piece[] = []): void {
    const isAll = this.live + parts.reduce((sum, { amount }) => sum + amount, 0) === this.received;
    const isUnshipped = this.lines.every(({ fulfilled }) => fulfilled === 0);
    const pieces = given.length === 0 && isAll && isUnshipped && !this.isCancelled ? this.#unshipped() : given;
    for (const { line, quantity, shipped } of pieces) {
      line.refunded += quantity;
      if (!shipped) line.removed += quantity;
    }
    for (const [i, part] of parts.entries()) this.refunds.push({ ...part, pieces: i === 0 ? pieces : [] });
    if (parts.some(({ status }) => status === 'succeeded')) this.#cancelIfNothingIsLeft();
  }

  /** Ends a refund. If a refund fails after it had succeeded, the items that it removed from the order stay removed. */
  settleRefund(refund: LedgerRefund, status: 'succeeded' | 'failed'): void {
    const hadSucceeded = refund.status === 'succeeded';
    refund.status = status;
    if (status === 'succeeded') {
      this.#cancelIfNothingIsLeft();
      return;
    }
    for (const { line, quantity, shipped } of refund.pieces) {
      if (hadSucceeded && !shipped) continue;
      line.refunded -= quantity;
      if (!shipped) line.removed -= quantity;
    }
  }

  /** A decided dispute never becomes open again. */
  report({ reference, amount, status }: LedgerDispute): void {
    const known = this.disputes.find((one) => one.reference === reference);
    if (!known) this.disputes.push({ reference, amount, status });
    else if (status !== 'open') known.status = status;
  }

  #refunded(counts: (refund: LedgerRefund) => boolean): number {
    return this.refunds.filter(counts).reduce((sum, { amount }) => sum + amount, 0);
  }

  #unshipped(): Piece[] {
    return this.lines
      .map((line) => ({ line, quantity: line.quantity - line.fulfilled - line.removed, shipped: false }))
      .filter(({ quantity }) => quantity > 0);
  }

  #cancelIfNothingIsLeft(): void {
    const isOver =
      this.lines.every(({ quantity, removed }) => removed === quantity) &&
      !this.refunds.some(({ status, pieces }) => status === 'pending' && pieces.some(({ shipped }) => !shipped));
    if (!isOver || this.isCancelled) return;
    this.isCancelled = true;
    // An overpayment, which an edit may cause, is still owed to the customer.
    this.retained = Math.max(0, this.received - this.live - Math.max(0, this.#surplus('succeeded', 'pending')));
  }
}
