import { t } from '../../../language/texts.ts';
import { TextField } from '../../../ui/field.tsx';
import { textIn } from '../bulk-ship.tsx';

export interface Tracking {
  carrier: string | null;
  tracking_number: string | null;
  /** Omitted if it is unchanged, so that the server uses the tracking page of a known carrier. */
  tracking_url?: string | null;
}

/** Carrier, tracking number and tracking page of a parcel. */
export function TrackingFields({ given, urlError }: { given?: Tracking; urlError: string | undefined }) {
  return (
    <>
      <div className="fields-2">
        <TextField
          label={t('Carrier')}
          name="carrier"
          maxLength={255}
          autoComplete="off"
          defaultValue={given?.carrier ?? ''}
        />
        <TextField
          label={t('Tracking number')}
          name="tracking_number"
          maxLength={255}
          autoComplete="off"
          defaultValue={given?.tracking_number ?? ''}
        />
      </div>
      <TextField
        label={t('Tracking address')}
        name="tracking_url"
        type="url"
        maxLength={2048}
        defaultValue={given?.tracking_url ?? ''}
        hint={t(
          "The carrier's page for this parcel. Empty or unchanged, it follows the number for DHL, DPD, GLS, Hermes, UPS, FedEx, La Poste, Royal Mail, PostNL and Austrian Post.",
        )}
        error={urlError}
      />
    </>
  );
}

/** Returns the tracking as typed. The URL is included only if it was changed; an empty URL removes the stored one. */
export function trackingOf(form: FormData, before: string | null = null): Tracking {
  const tracking_url = textIn(form, 'tracking_url');
  return {
    carrier: textIn(form, 'carrier'),
    tracking_number: textIn(form, 'tracking_number'),
    ...(tracking_url !== before && { tracking_url }),
  };
}
