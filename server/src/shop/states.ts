/**
 * Compares states by name or ISO 3166-2 code in Australia, Canada and the United States, elsewhere as written. Ignores
 * case, outer spaces and accents.
 */

const CODES: Record<string, Map<string, string>> = {
  AU: codesOf(`NSW New South Wales, QLD Queensland, SA South Australia, TAS Tasmania, VIC Victoria, WA Western Australia, ACT
    Australian Capital Territory, NT Northern Territory`),
  CA: codesOf(`AB Alberta, BC British Columbia, MB Manitoba, NB New Brunswick, NL Newfoundland and Labrador, NT Northwest
    Territories, NS Nova Scotia, NU Nunavut, ON Ontario, PE Prince Edward Island, QC Quebec, SK Saskatchewan, YT Yukon`),
  US: codesOf(`AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware, DC District
    of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky,
    LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri, MT
    Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York, NC North Carolina, ND
    North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island, SC South Carolina, SD South Dakota,
    TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming`),
};

function codesOf(list: string): Map<string, string> {
  return new Map(
    list.split(/,\s+/).map((each) => {
      const [code = '', ...name] = each.split(/\s+/);
      return [folded(name.join(' ')), folded(code)];
    }),
  );
}

/** Returns a key that is the same for every spelling of a state. */
export function stateKey(country: string, state: string): string {
  const key = folded(state);
  return CODES[country]?.get(key) ?? key;
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
