import type { notification as english } from '../en/notification.ts';

export const notification: Record<keyof typeof english, string> = {
  link_life: 'Der Link funktioniert nur einmal und gilt {life}. Fragt der Shop nach einem Code, ist es dieser:',
  code: 'Code',

  verify_subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {shop}',
  verify_button: 'Adresse bestätigen',
  verify_welcome: 'Willkommen bei {shop}. Bestätigen Sie Ihre E-Mail-Adresse, um Ihr Konto zu aktivieren.',
  verify_requested: 'Das Konto wurde am {moment} angefordert. Es bekommt das Passwort, das dabei gewählt wurde.',
  verify_several:
    'Mit dieser Adresse wurde mehr als einmal ein Konto angefordert. Öffnen Sie nur den Link Ihrer eigenen Anforderung. Wissen Sie nicht, welcher das ist, fordern Sie beim Shop ein neues Passwort an, sobald die Adresse bestätigt ist.',
  verify_not_you:
    'Haben Sie zu dieser Zeit kein Konto angefordert, öffnen Sie den Link nicht: Dann wird kein Konto angelegt.',
  verify_own:
    'Ihr Konto bei {shop} verwendet diese E-Mail-Adresse. Bestätigen Sie sie, um sich wieder anmelden zu können.',

  registered_subject: 'Sie haben bereits ein Konto bei {shop}',
  registered:
    'Jemand, wahrscheinlich Sie, wollte mit dieser Adresse ein Konto bei {shop} anlegen. Sie haben bereits eines.',
  registered_next:
    'Haben Sie das Passwort vergessen, fordern Sie bei der Anmeldung ein neues an. Waren Sie das nicht, brauchen Sie nichts zu tun.',

  change_subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse für {shop}',
  change: 'Bestätigen Sie diese Adresse für Ihr Konto bei {shop}. Bis dahin gilt die bisherige.',
  change_not_you: 'Haben Sie das nicht angefordert, brauchen Sie nichts zu tun.',
  taken_subject: 'Jemand wollte Ihre E-Mail-Adresse bei {shop} verwenden',
  taken: 'Jemand wollte diese Adresse für ein anderes Konto bei {shop} verwenden. Sie bleibt bei Ihrem Konto.',
  taken_next: 'Waren Sie das, melden Sie sich mit dieser Adresse bei Ihrem bestehenden Konto an.',
  requested_subject: 'Neue E-Mail-Adresse für Ihr Konto bei {shop}',
  requested:
    '{shop} hat für Ihr Konto eine andere E-Mail-Adresse eingetragen. Sie gilt erst, wenn sie bestätigt ist; bis dahin bleibt es bei dieser.',
  requested_not_you: 'Haben Sie nicht darum gebeten, wenden Sie sich sofort an den Shop.',
  changed_subject: 'Ihre E-Mail-Adresse bei {shop} wurde geändert',
  changed: 'Ihr Konto bei {shop} hat jetzt eine andere E-Mail-Adresse. Diese hier wird nicht mehr verwendet.',
  changed_not_you: 'Haben Sie sie nicht geändert, wenden Sie sich sofort an den Shop.',

  reset_subject: 'Ein neues Passwort für {shop}',
  reset: 'Jemand, wahrscheinlich Sie, hat ein neues Passwort für Ihr Konto bei {shop} angefordert.',
  reset_button: 'Neues Passwort wählen',
  reset_not_you: 'Waren Sie das nicht, brauchen Sie nichts zu tun. Ihr Passwort bleibt, wie es ist.',
  password_subject: 'Ihr Passwort bei {shop} wurde geändert',
  password: 'Ihr Konto bei {shop} hat ein neues Passwort.',
  password_not_you:
    'Haben Sie es nicht geändert, fordern Sie bei der Anmeldung ein neues an und wenden Sie sich an den Shop.',

  delay_subject: 'Anmeldung bei {shop} vorübergehend verzögert',
  delay:
    'Jemand hat mehrere falsche Passwörter für Ihr Konto bei {shop} ausprobiert. Damit niemand weiter probiert, ist die Anmeldung vorübergehend verzögert.',
  delay_staff_subject: 'Anmeldung beim Dashboard vorübergehend verzögert',
  delay_staff:
    'Jemand hat mehrere falsche Passwörter für Ihr Konto beim Dashboard ausprobiert. Damit niemand weiter probiert, ist die Anmeldung vorübergehend verzögert.',
  delay_open: 'Möchten Sie sich jetzt anmelden, öffnen Sie diesen Link in dem Browser, in dem Sie sich anmelden:',
  delay_button: 'Ohne Wartezeit anmelden',
  delay_life: 'Der Link funktioniert nur einmal und gilt {life}. Ihr Passwort brauchen Sie weiterhin.',
  delay_code: 'Fragt der Shop nach einem Code, ist es dieser:',
  delay_command: 'Auf der Kommandozeile fragt „commerce login --unlock“ nach diesem Code:',
  delay_nothing: 'Möchten Sie sich gerade nicht anmelden, brauchen Sie nichts zu tun.',

  invitation_subject: 'Einladung: {shop} mitbetreuen',
  invitation: '{name} lädt Sie ein, {shop} gemeinsam zu betreuen.',
  invitation_button: 'Einladung annehmen',
  invitation_life:
    'Der Link funktioniert nur einmal und gilt {life}. Haben Sie schon einen Zugang, melden Sie sich an und nehmen dann an; sonst wählen Sie einen Namen und ein Passwort.',
  invitation_command: 'Auf der Kommandozeile fragt „commerce staff accept“ nach diesem Code:',
  invitation_nothing: 'Wissen Sie nicht, worum es geht, brauchen Sie nichts zu tun.',

  staff_reset_subject: 'Ein neues Passwort für das Dashboard',
  staff_reset: '{name}, jemand, wahrscheinlich Sie, hat ein neues Passwort für Ihr Konto beim Dashboard angefordert.',
  staff_reset_life:
    'Der Link funktioniert nur einmal und gilt {life}. Auf der Kommandozeile fragt „commerce account reset-password“ nach diesem Code:',
  staff_changed_subject: 'Ihr Konto beim Dashboard wurde geändert',
  staff_password: 'Ihr Konto beim Dashboard hat ein neues Passwort. Alle Anmeldungen damit wurden beendet.',
  staff_two_factor_on: 'Die Anmeldung bei Ihrem Konto verlangt jetzt zusätzlich einen Code Ihrer Authenticator-App.',
  staff_two_factor_off: 'Die Anmeldung bei Ihrem Konto verlangt keinen Code einer Authenticator-App mehr.',
  staff_recovery_codes: 'Die Wiederherstellungscodes Ihres Kontos wurden ersetzt. Die früheren gelten nicht mehr.',
  staff_not_you:
    'Waren Sie es nicht, fordern Sie bei der Anmeldung ein neues Passwort an, und informieren Sie die Inhaber des Shops.',
  sensitive_subject: 'Sicherheitsrelevante Änderung bei {shop}',
  sensitive_keys: 'Die Schlüssel, mit denen Programme auf {shop} zugreifen, wurden geändert.',
  sensitive_payments: 'Das Zahlungskonto von {shop} wurde geändert.',
  sensitive_settings:
    'Die Bankverbindung von {shop} oder die Adressen, zu denen Käufer geschickt werden, wurden geändert.',
  sensitive_staff: 'Die Mitarbeiter von {shop} oder ihre Berechtigungen wurden geändert.',
  sensitive_by: 'Von',
  sensitive_key: 'einem API-Schlüssel',
  sensitive_at: 'Am',
  sensitive_next:
    'War das nicht beabsichtigt, beenden Sie unbekannte Sitzungen und Schlüssel, und machen Sie die Änderung rückgängig.',

  agent_subject: 'Sie haben einem Assistenten erlaubt, bei {shop} für Sie einzukaufen',
  agent:
    'Sie haben einem Assistenten erlaubt, bei {shop} für Sie einzukaufen. Jeder Kauf wartet weiterhin auf Ihre Bestätigung.',
  agent_name: 'Eigener Name (nicht geprüft)',
  agent_budget: 'Er darf ausgeben',
  agent_per_order: 'Höchstbetrag pro Kauf',
  agent_categories: 'Für',
  agent_everything: 'das ganze Sortiment',
  agent_until: 'Bis',
  agent_not_you:
    'Waren Sie das nicht, oder haben Sie es sich anders überlegt, entziehen Sie ihm in Ihrem Konto den Zugang.',
  agent_button: 'Ihre Assistenten ansehen',

  webhook_subject: 'Ein Webhook von {shop} wurde deaktiviert',
  webhook_gone:
    'Der Webhook an {url} wurde deaktiviert. Der Empfänger hat mit 410 geantwortet: Er möchte keine Ereignisse mehr.',
  webhook_failing:
    'Der Webhook an {url} wurde deaktiviert. Fünf Tage lang ist jede Zustellung an den Empfänger fehlgeschlagen.',
  webhook_enable: 'Sobald er wieder funktioniert, führen Sie aus: {command}',
  webhook_replay: 'So stellen Sie die fehlgeschlagenen Ereignisse noch einmal zu: {command}',

  capture_subject: 'Die Zahlung für die Bestellung {number} konnte nicht eingezogen werden',
  capture_failed:
    'Der Zahlungsdienst hat {amount} für die Bestellung {number} nicht eingezogen ({reason}). Der Betrag ist nur autorisiert, und die Autorisierung verfällt nach einigen Tagen.',
  capture_again: 'Sobald der Grund behoben ist, führen Sie aus: {command}',

  refund_subject: 'Eine Erstattung zur Bestellung {number} ist fehlgeschlagen',
  refund_failed:
    'Der Zahlungsdienst hat {amount} zur Bestellung {number} nicht erstattet ({reason}). Das Geld ist bei Ihnen und kann erneut erstattet werden.',
  refund_again: 'So erstatten Sie es noch einmal: {command}',

  payment_kept_subject: 'Eine Zahlung über {amount} konnte nicht erstattet werden',
  payment_kept:
    'Eine Zahlung über {amount} gehört zu keiner Bestellung und muss erstattet werden. Der Zahlungsdienst hat sie nicht vollständig erstattet ({reason}).',
  payment_kept_return:
    'Bitte erstatten Sie den Rest in Ihrem Konto beim Zahlungsdienst. Dort hat die Zahlung die Referenz {reference}.',
  reason_lost_card: 'die Karte wurde als verloren oder gestohlen gemeldet',
  reason_ended_card: 'die Karte ist abgelaufen oder gesperrt',
  reason_declined: 'die Bank hat abgelehnt',
  reason_insufficient_funds: 'das Guthaben auf Ihrem Konto reicht nicht aus',
  reason_already_refunded: 'die Zahlung war schon erstattet',
  reason_no_account: 'das Konto, über das bezahlt wurde, ist nicht mehr erreichbar',
  reason_unknown: 'ohne Angabe eines Grundes',

  new_order_subject: 'Neue Bestellung {number}: {amount}',
  new_order: 'Die Bestellung {number} ist eingegangen.',
  new_order_payment: 'Zahlung',
  new_order_customer: 'Kundin oder Kunde',
  new_order_phone: 'Telefon',
  new_order_method: 'Versand',
  new_order_note: 'Nachricht zur Bestellung: {note}',
  new_order_answer: 'Eine Antwort auf diese E-Mail geht an die Kundin oder den Kunden.',
  new_order_command: 'Einzelheiten auf der Kommandozeile: {command}',
  new_order_panel: 'Im Panel öffnen',

  webhook_panel: 'Im Panel öffnen',

  low_stock_subject: 'Der Bestand wird knapp bei {shop} ({count})',
  low_stock: 'Der Bestand dieser Artikel hat Ihre Meldegrenze erreicht:',
  low_stock_left: 'noch {count}',
  low_stock_more: 'Und {count} weitere.',
  low_stock_panel: 'Den Bestand im Panel ansehen',
};
