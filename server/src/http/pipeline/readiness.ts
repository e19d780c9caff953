/** Whether the process takes requests. */
export interface Readiness {
  /** Set while the process drains: it must get no new requests. */
  draining: boolean;
}
