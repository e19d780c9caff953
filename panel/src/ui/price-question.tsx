import { type ReactNode, useState } from 'react';
import { isLargeChange } from '../../../cli/src/formats/decimals.ts';
import { useFormat } from '../format.ts';
import { t } from '../language/texts.ts';
import { Confirm } from './dialog.tsx';
import { isUnread } from './typed-number.ts';

export interface PriceChange {
  name: string;
  before: string;
  after: string;
}

/** Maximum number of price changes listed. */
const MOST_LISTED = 5;

/**
 * Asks before prices change by more than 80 %, which is usually a misplaced decimal point. Smaller changes are saved
 * without a question.
 */
export function usePriceQuestion(): {
  ask: (changes: PriceChange[], save: () => void) => void;
  question: ReactNode;
} {
  const { money, counted } = useFormat();
  const [asked, setAsked] = useState<{ changes: PriceChange[]; save: () => void }>();
  const close = () => setAsked(undefined);
  const ask = (changes: PriceChange[], save: () => void) => {
    const large = changes.filter(
      ({ before, after }) => after !== '' && !isUnread(after) && isLargeChange(before, after),
    );
    if (large.length === 0) save();
    else setAsked({ changes: large, save });
  };
  const question = (
    <Confirm
      open={asked !== undefined}
      onClose={close}
      onConfirm={() => {
        close();
        asked?.save();
      }}
      title={t('Change the price this much?')}
      action={t('Change the price')}
      danger={false}
    >
      <p>{t('The price changes by more than 80 %. Check the decimal sign.')}</p>
      <ul>
        {asked?.changes.slice(0, MOST_LISTED).map(({ name, before, after }) => (
          <li key={name}>
            {name}: {money(before)} → <strong>{money(after)}</strong>
          </li>
        ))}
      </ul>
      {asked && asked.changes.length > MOST_LISTED && (
        <p>
          {t('And {count}.', {
            count: counted(asked.changes.length - MOST_LISTED, '{count} other price', '{count} other prices'),
          })}
        </p>
      )}
    </Confirm>
  );
  return { ask, question };
}
