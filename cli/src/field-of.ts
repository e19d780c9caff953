/** Converts the path of a field in a request to its name: `["body","variants",0,"price"]` to `variants.0.price`. */
export function fieldOf(loc: readonly (string | number)[]): string {
  return (loc.length > 1 ? loc.slice(1) : loc).join('.');
}
