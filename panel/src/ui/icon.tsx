/** The panel's icons, drawn as lines on a grid of 24 by 24. */
const PATHS = {
  today: 'M3 11l9-7 9 7M5 9.5V20h5v-6h4v6h5V9.5',
  orders: 'M3 13h5l1.5 3h5L16 13h5M3 13l3-8h12l3 8v6H3z',
  drafts: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h4',
  returns: 'M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  withdrawals: 'M6 3h8l4 4v14H6zM14 3v4h4M9.5 12.5l5 5M14.5 12.5l-5 5',
  products: 'M3 12V4a1 1 0 0 1 1-1h8l9 9-9 9zM7.5 7.5h.01',
  stock: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  collections: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  discounts: 'M19 5L5 19M7 9.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5zM17 19.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5z',
  customers: 'M12 11a4 4 0 1 1 0-8 4 4 0 0 1 0 8zM4 21c0-4 3.5-7 8-7s8 3 8 7',
  agents: 'M11 3l2 6 6 2-6 2-2 6-2-6-6-2 6-2zM19 16v4M17 18h4',
  settings: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  audit: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3 2',
  search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5L21 21',
  action: 'M5 12h14M13 6l6 6-6 6',
  add: 'M12 5v14M5 12h14',
  menu: 'M4 6h16M4 12h16M4 18h16',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. The text next to it names its meaning. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
