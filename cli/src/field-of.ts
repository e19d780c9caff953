/** The path of a field in a request as its name: `["body","variants",0,"price"]` is `variants.0.price`. */
export function fieldOf(loc: readonly (string | number)[]): string {
  return (loc.length > 1 ? loc.slice(1) : loc).join('.');
}
