import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { CardPayments } from './card-payments.tsx';
import { Field, SettingsForm } from './settings-form.tsx';

export function PaymentSettings() {
  const can = useCan();
  return (
    <>
      <SettingsForm title={t('Bank transfer')}>{() => <BankTransfer />}</SettingsForm>
      {can('payments:write') && <CardPayments />}
    </>
  );
}

function BankTransfer() {
  return (
    <>
      <p className="quiet-text">
        {t(
          'Shoppers get these with their order, and in euros also a code that banking apps read. Without an IBAN nobody can choose bank transfer.',
        )}
      </p>
      <div className="fields-2">
        <Field.Text name="bank_details.account_holder" label={t('Account holder')} empty="" />
        <Field.Text name="bank_details.iban" label={t('IBAN')} empty="" />
        <Field.Text name="bank_details.bic" label={t('BIC')} />
        <Field.Text name="bank_details.bank_name" label={t('Bank')} />
      </div>
      <Field.Area
        name="bank_details.instructions"
        label={t('Instructions')}
        hint={t('Further information for shoppers.')}
      />
      <Field.Whole
        name="payment_deadline_hours"
        label={t('Hours to pay')}
        type="number"
        min={1}
        max={720}
        hint={t('Unpaid orders are then cancelled, and their stock is released.')}
      />
    </>
  );
}
