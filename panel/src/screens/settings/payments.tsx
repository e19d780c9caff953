import { fieldError, type Schemas } from '../../api.ts';
import { useCan } from '../../session/use-me.ts';
import { integerOrNull, typedOrNull } from '../../ui/draft.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { CardPayments } from './card-payments.tsx';
import { SettingsForm, type SettingsFormProps } from './use-settings.tsx';

const TOLD = [
  ...['account_holder', 'iban', 'bic', 'bank_name', 'instructions'].map((field) => `bank_details.${field}`),
  'payment_deadline_hours',
];

export function PaymentSettings() {
  const can = useCan();
  return (
    <>
      <SettingsForm title="Bank transfer" fields={['bank_details', 'payment_deadline_hours']} told={TOLD}>
        {(form) => <BankTransfer {...form} />}
      </SettingsForm>
      {can('payments:write') && <CardPayments />}
    </>
  );
}

const NO_BANK: NonNullable<Schemas['Settings']['bank_details']> = { account_holder: '', iban: '' };

function BankTransfer({ draft, set, error }: SettingsFormProps<'bank_details' | 'payment_deadline_hours'>) {
  const bank = draft.bank_details ?? NO_BANK;
  const change = (fields: Partial<typeof bank>) =>
    set((now) => ({ bank_details: { ...(now.bank_details ?? NO_BANK), ...fields } }));
  return (
    <>
      <p className="quiet-text">
        Shoppers get these with their order, and in euros also a code that banking apps read. Without an IBAN nobody can
        choose bank transfer.
      </p>
      <div className="fields-2">
        <TextField
          label="Account holder"
          value={bank.account_holder}
          onChange={(event) => change({ account_holder: event.target.value })}
          error={fieldError(error, 'bank_details.account_holder')}
        />
        <TextField
          label="IBAN"
          value={bank.iban}
          onChange={(event) => change({ iban: event.target.value })}
          error={fieldError(error, 'bank_details.iban')}
        />
        <TextField
          label="BIC"
          value={bank.bic ?? ''}
          onChange={(event) => change({ bic: typedOrNull(event.target.value) })}
          error={fieldError(error, 'bank_details.bic')}
        />
        <TextField
          label="Bank"
          value={bank.bank_name ?? ''}
          onChange={(event) => change({ bank_name: typedOrNull(event.target.value) })}
          error={fieldError(error, 'bank_details.bank_name')}
        />
      </div>
      <TextArea
        label="Instructions"
        hint="What else a shopper should know."
        value={bank.instructions ?? ''}
        onChange={(event) => change({ instructions: typedOrNull(event.target.value) })}
        error={fieldError(error, 'bank_details.instructions')}
      />
      <TextField
        label="Hours to pay"
        type="number"
        min={1}
        max={720}
        hint="After them an unpaid order is cancelled, and its stock is free again."
        value={draft.payment_deadline_hours}
        onChange={(event) => set({ payment_deadline_hours: integerOrNull(event.target.value) ?? 168 })}
        error={fieldError(error, 'payment_deadline_hours')}
      />
    </>
  );
}
