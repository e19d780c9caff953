export interface Readiness {
  /** Set while the process shuts down, so that load balancers send no new requests. */
  draining: boolean;
}
