/** The first match counts, because the user agents of most browsers also contain the names of other browsers. */
const PROGRAMS: [sign: RegExp, name: string][] = [
  [/^commerce-cli\b/, 'commerce command line'],
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^node\b/, 'a Node.js program'],
];

const SYSTEMS: [sign: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Names the program and system in a user agent, such as `Firefox on Linux`. Self-reported, not verified. */
export function deviceInWords(user_agent: string | null): string {
  const named = (signs: [RegExp, string][]) => signs.find(([sign]) => sign.test(user_agent ?? ''))?.[1];
  const [program, system] = [named(PROGRAMS), named(SYSTEMS)];
  if (program && system) return `${program} on ${system}`;
  return program ?? system ?? 'an unknown program';
}
