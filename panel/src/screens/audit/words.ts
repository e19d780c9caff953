/** Converts a field path to words: `brand.accent_color` to "brand accent color". */
export function fieldInWords(field: string): string {
  return field.replaceAll(/[_.]/g, ' ');
}

/** Converts an operation id to words: `dashboard.updateProduct` to "Update product". */
export function actionInWords(action: string): string {
  const name = action.slice(action.lastIndexOf('.') + 1);
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
