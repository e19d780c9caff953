import { t } from '../../language/texts.ts';
import { Field, SettingsForm } from './settings-form.tsx';

export function ReturnSettings() {
  return (
    <SettingsForm title={t('Returns')}>
      {({ settings }) => (
        <>
          <Field.Tick
            name="withdrawal_page"
            label={t('Consumers can withdraw from contracts on a page')}
            hint={t('Law in the EU. All pages and e-mails of the shop link to it.')}
          />
          <Field.Tick name="return_policy.enabled" label={t('Customers can request returns in their account')} />
          <Field.Tick
            name="return_policy.auto_approve"
            label={t('Approve requests at once')}
            hint={t('Otherwise you decide about each one.')}
          />
          <div className="fields-2">
            <Field.Whole
              name="return_policy.window_days"
              label={t('Days to request a return')}
              type="number"
              min={1}
              max={3650}
              hint={t('After delivery, or after the last shipment.')}
              required
            />
            <Field.Whole
              name="return_policy.exchange_days"
              label={t('Days for goods of an exchange to come back')}
              type="number"
              min={1}
              max={3650}
              required
            />
          </div>
          <Field.Amount
            name="return_policy.fee"
            label={t('Fee in {currency}', { currency: settings.currency })}
            hint={t("You keep it of each return's refund.")}
            required
          />
          <Field.Area
            name="return_policy.return_address"
            label={t('Return address')}
            rows={4}
            maxLength={1000}
            hint={t('In the e-mail that approves a return.')}
          />
          <Field.Area name="return_policy.instructions" label={t('Instructions')} rows={4} maxLength={5000} />
        </>
      )}
    </SettingsForm>
  );
}
