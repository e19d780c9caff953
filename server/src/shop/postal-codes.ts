/**
 * The postal codes of countries, without spaces and hyphens. The patterns are those of Google's libaddressinput
 * (testdata/countryinfo.txt, Apache-2.0), with these newer formats: six digits in Cambodia, Korea, Taiwan and Vietnam,
 * +4 in Saudi Arabia, five characters in Mauritius (the first is R on Rodrigues, A on Agalega), letters in Kazakhstan,
 * four digits in El Salvador, and the area BF of the British Forces.
 */
const COUNTRIES: Record<string, string> = {
  '\\d{5}':
    'BA BT CZ DE DO DZ EE EG EH ES FI FR GR GT HN HR ID IQ IT JO KE KW LA LK LT MA MM MN MV MX MY NI NP PK PL SE SK SN SO TH TR UA UY ZM',
  '\\d{4}': 'AF AL AT AU AZ BD BE BG CH CK CV CY DK ET GE GW HM HT HU LR LU MD MK MZ NE NO NZ PH PY SI SJ TN TZ VE ZA',
  '\\d{6}': 'BY CN CO IN KG NG RO RU SG TJ TM UZ',
  '\\d{3}': 'FO GN IS LS MG PG',
  '\\d{5,6}': 'KH KR RS VN',
  '9[78][01]\\d{2}': 'BL GP MF',
  '\\d{7}': 'CL JP PT',
  '\\d{5}(\\d{4})?': 'SA US',
  ASCN1ZZ: 'AC',
  'AD[1-7]0\\d': 'AD',
  '2640': 'AI',
  '(37)?\\d{4}': 'AM',
  '([A-HJ-NP-Z])?\\d{4}([A-Z]{3})?': 'AR',
  '96799': 'AS',
  '22\\d{3}': 'AX',
  'BB\\d{5}': 'BB',
  '(\\d|1[0-2])\\d{2}': 'BH',
  '[A-Z]{2}[A-Z0-9]{2}': 'BM',
  '[A-Z]{2}\\d{4}': 'BN',
  '\\d{8}': 'BR',
  '[ABCEGHJKLMNPRSTVXY]\\d[ABCEGHJ-NPRSTV-Z]\\d[ABCEGHJ-NPRSTV-Z]\\d': 'CA',
  '6799': 'CC',
  '\\d{4,5}|\\d{7}': 'CR',
  '6798': 'CX',
  '[A-Z]\\d{4}[A-Z]|([A-Z]{2})?\\d{6}': 'EC',
  FIQQ1ZZ: 'FK',
  '(9694[1-4])(\\d{4})?': 'FM',
  '9[78]3\\d{2}': 'GF',
  'GY\\d[\\dA-Z]?\\d[ABD-HJLN-UW-Z]{2}': 'GG',
  GX111AA: 'GI',
  '39\\d{2}': 'GL',
  SIQQ1ZZ: 'GS',
  '969([12]\\d|3[12])(\\d{4})?': 'GU',
  '\\d{5}(\\d{2})?': 'IL',
  'IM\\d[\\dA-Z]?\\d[ABD-HJLN-UW-Z]{2}': 'IM',
  BBND1ZZ: 'IO',
  '\\d{10}': 'IR',
  'JE\\d[\\dA-Z]?\\d[ABD-HJLN-UW-Z]{2}': 'JE',
  'KY\\d{5}': 'KY',
  '\\d{6}|[A-Z]\\d{2}[A-Z]\\d[A-Z]\\d': 'KZ',
  '\\d{4}(\\d{4})?': 'LB',
  '9(48[5-9]|49[0-8])': 'LI',
  'LV\\d{4}': 'LV',
  '980\\d{2}': 'MC',
  '8\\d{4}': 'ME',
  '969[67]\\d(\\d{4})?': 'MH',
  '9695[012](\\d{4})?': 'MP',
  '9[78]2\\d{2}': 'MQ',
  '[A-Z]{3}\\d{2,4}': 'MT',
  '[AR\\d]\\d{4}|\\d{3}[A-Z]{2}\\d{3}': 'MU',
  '988\\d{2}': 'NC',
  '2899': 'NF',
  '\\d{4}[A-Z]{2}': 'NL',
  '(PC)?\\d{3}': 'OM',
  '\\d{5}|LIMA\\d{2}|CALLAO0?\\d': 'PE',
  '987\\d{2}': 'PF',
  '9[78]5\\d{2}': 'PM',
  PCRN1ZZ: 'PN',
  '00[679]\\d{2}(\\d{4})?': 'PR',
  '969(39|40)': 'PW',
  '9[78]4\\d{2}': 'RE',
  '(ASCN|STHL)1ZZ': 'SH',
  '4789\\d': 'SM',
  '\\d{4}|CP[1-3][1-7][0-2]\\d': 'SV',
  '[HLMS]\\d{3}': 'SZ',
  TDCU1ZZ: 'TA',
  TKCA1ZZ: 'TC',
  '\\d{3}(\\d{2,3})?': 'TW',
  '00120': 'VA',
  'VC\\d{4}': 'VC',
  'VG\\d{4}': 'VG',
  '008[0-5]\\d(\\d{4})?': 'VI',
  '986\\d{2}': 'WF',
  '[1-7]\\d{4}': 'XK',
  '976\\d{2}': 'YT',
};

const BRITISH_AREAS =
  `AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX
    FK FY G GL GY GU HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG
    NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS
    TW UB W WA WC WD WF WN WR WS WV YO ZE`.split(/\s+/);
const BRITISH = `GIR0AA|BFPO\\d{1,4}|(${BRITISH_AREAS.join('|')})\\d[\\dA-Z]?\\d[ABD-HJLN-UW-Z]{2}`;

const FORMS = new Map<string, RegExp>(
  [...Object.entries(COUNTRIES), [BRITISH, 'GB'] as const].flatMap(([form, countries]) => {
    const whole = new RegExp(`^(?:${form})$`);
    return countries.split(' ').map((country) => [country, whole] as const);
  }),
);

/** Normalizes a postal code. Accepts full-width characters, other dashes and Japan's postal mark. */
export function normalPostalCode(typed: string): string {
  const code = typed
    .normalize('NFKC')
    .replaceAll(/[\p{Pd}\u2212\u30fc]/gu, '-')
    .replaceAll(/[\s\u3012]+/gu, ' ');
  return code.trim().toUpperCase();
}

/** Whether a normalized postal code is valid for its country; true if the country's format is unknown. */
export function hasCountryForm(code: string, country: string): boolean {
  const form = FORMS.get(country);
  if (!form) return true;
  const plain = code.replaceAll(/[ -]/g, '');
  // The country's letters before a code are optional: LV-1010, AZ 1000, D-10115.
  const without = plain.startsWith(country)
    ? plain.slice(country.length)
    : code.replace(/^[A-Z]{1,3}-(?=\d)/, '').replaceAll(/[ -]/g, '');
  return [plain, without, `${country}${plain}`].some((spelling) => form.test(spelling));
}
