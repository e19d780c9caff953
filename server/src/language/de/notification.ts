import type { notification as english } from '../en/notification.ts';

export const notification: Record<keyof typeof english, string> = {
  link_life:
    'Der Link funktioniert nur einmal und gilt {life}. Wenn der Shop nach einem Code fragt, geben Sie diesen ein:',
  code: 'Code',

  verify_subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {shop}',
  verify_button: 'Adresse bestätigen',
  verify_welcome: 'Willkommen bei {shop}. Bestätigen Sie Ihre E-Mail-Adresse, um Ihr Konto zu aktivieren.',
  verify_requested: 'Die Registrierung erfolgte am {moment}. Das Konto erhält das Passwort, das dabei gewählt wurde.',
  verify_several:
    'Jemand hat mehrmals versucht, mit dieser Adresse ein Konto zu erstellen. Öffnen Sie nur den Link, der zu Ihrer eigenen Anfrage gehört. Wenn Sie nicht wissen, welcher das ist, bestätigen Sie die Adresse und fordern Sie danach beim Shop ein neues Passwort an.',
  verify_not_you:
    'Wenn Sie zu dieser Zeit kein Konto erstellen wollten, öffnen Sie den Link nicht: Dann wird kein Konto erstellt.',
  verify_own:
    'Ihr Konto bei {shop} verwendet diese E-Mail-Adresse. Bestätigen Sie sie, um sich wieder anmelden zu können.',

  registered_subject: 'Sie haben bereits ein Konto bei {shop}',
  registered:
    'Jemand, wahrscheinlich Sie, wollte mit dieser Adresse ein Konto bei {shop} erstellen. Sie haben bereits eines.',
  registered_next:
    'Wenn Sie das Passwort vergessen haben, fordern Sie auf der Anmeldeseite ein neues an. Wenn Sie das nicht waren, brauchen Sie nichts zu tun.',

  change_subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse für {shop}',
  change: 'Bestätigen Sie diese Adresse für Ihr Konto bei {shop}. Bis dahin gilt die bisherige.',
  change_not_you: 'Wenn Sie das nicht angefordert haben, brauchen Sie nichts zu tun.',
  taken_subject: 'Jemand wollte Ihre E-Mail-Adresse bei {shop} verwenden',
  taken: 'Jemand wollte diese Adresse für ein anderes Konto bei {shop} verwenden. Die Adresse bleibt bei Ihrem Konto.',
  taken_next: 'Wenn Sie das waren, melden Sie sich mit dieser Adresse bei Ihrem bestehenden Konto an.',
  requested_subject: 'Neue E-Mail-Adresse für Ihr Konto bei {shop}',
  requested:
    '{shop} hat für Ihr Konto eine andere E-Mail-Adresse eingetragen. Die neue Adresse gilt erst, wenn sie bestätigt ist; bis dahin bleibt es bei dieser.',
  requested_not_you: 'Wenn Sie nicht darum gebeten haben, wenden Sie sich sofort an den Shop.',
  changed_subject: 'Ihre E-Mail-Adresse bei {shop} wurde geändert',
  changed:
    'Ihr Konto bei {shop} hat jetzt eine andere E-Mail-Adresse. Die Adresse, an die diese E-Mail ging, wird nicht mehr verwendet.',
  changed_not_you: 'Wenn Sie das nicht waren, wenden Sie sich sofort an den Shop.',

  reset_subject: 'Neues Passwort für {shop} wählen',
  reset: 'Jemand, wahrscheinlich Sie, hat ein neues Passwort für Ihr Konto bei {shop} angefordert.',
  reset_button: 'Neues Passwort wählen',
  reset_not_you: 'Wenn Sie das nicht waren, brauchen Sie nichts zu tun. Ihr Passwort bleibt, wie es ist.',
  password_subject: 'Ihr Passwort bei {shop} wurde geändert',
  password: 'Das Passwort Ihres Kontos bei {shop} wurde geändert.',
  password_not_you:
    'Wenn Sie es nicht geändert haben, fordern Sie auf der Anmeldeseite ein neues an und informieren Sie den Shop.',

  delay_subject: 'Anmeldung bei {shop} vorübergehend verzögert',
  delay:
    'Jemand hat mehrere falsche Passwörter für Ihr Konto bei {shop} ausprobiert. Damit niemand weiter raten kann, ist die Anmeldung vorübergehend verzögert.',
  delay_staff_subject: 'Anmeldung im Händlerbereich vorübergehend verzögert',
  delay_staff:
    'Jemand hat mehrere falsche Passwörter für Ihr Händlerkonto ausprobiert. Damit niemand weiter raten kann, ist die Anmeldung vorübergehend verzögert.',
  delay_open: 'Wenn Sie sich jetzt anmelden möchten, öffnen Sie diesen Link in dem Browser, den Sie dafür verwenden:',
  delay_button: 'Ohne Wartezeit anmelden',
  delay_life: 'Der Link funktioniert nur einmal und gilt {life}. Ihr Passwort brauchen Sie weiterhin.',
  delay_code: 'Wenn der Shop nach einem Code fragt, geben Sie diesen ein:',
  delay_command: 'Auf der Kommandozeile fragt „commerce login --unlock“ nach diesem Code:',
  delay_nothing: 'Wenn Sie sich gerade nicht anmelden möchten, brauchen Sie nichts zu tun.',

  invitation_subject: 'Einladung zur Mitarbeit bei {shop}',
  invitation: '{name} lädt Sie zur Mitarbeit bei {shop} ein.',
  invitation_button: 'Einladung annehmen',
  invitation_life:
    'Der Link funktioniert nur einmal und gilt {life}. Wenn Sie schon ein Konto haben, melden Sie sich an, um die Einladung anzunehmen; andernfalls wählen Sie einen Namen und ein Passwort.',
  invitation_nothing: 'Wenn Sie nicht wissen, worum es geht, brauchen Sie nichts zu tun.',

  staff_reset_subject: 'Neues Passwort für den Händlerbereich wählen',
  staff_reset: 'Guten Tag {name}. Jemand, wahrscheinlich Sie, hat ein neues Passwort für Ihr Händlerkonto angefordert.',
  staff_reset_life:
    'Der Link funktioniert nur einmal und gilt {life}. Auf der Kommandozeile fragt „commerce account reset-password“ nach diesem Code:',
  staff_changed_subject: 'Ihr Händlerkonto wurde geändert',
  staff_password: 'Ihr Händlerkonto hat ein neues Passwort. Alle, die damit angemeldet waren, wurden abgemeldet.',
  staff_two_factor_on:
    'Für die Anmeldung bei Ihrem Händlerkonto brauchen Sie jetzt zusätzlich einen Code aus Ihrer Authenticator-App.',
  staff_two_factor_off:
    'Für die Anmeldung bei Ihrem Händlerkonto brauchen Sie keinen Code aus einer Authenticator-App mehr.',
  staff_recovery_codes:
    'Die Wiederherstellungscodes Ihres Händlerkontos wurden ersetzt. Die früheren gelten nicht mehr.',
  staff_not_you:
    'Wenn Sie das nicht waren, fordern Sie auf der Anmeldeseite ein neues Passwort an und informieren Sie die Inhaber des Shops.',
  sensitive_subject: 'Sicherheitsrelevante Änderung bei {shop}',
  sensitive_assistants: 'Ein Mitarbeiter von {shop} hat einen Assistenten verbunden.',
  sensitive_keys: 'Die Zugangsschlüssel von {shop} wurden geändert.',
  sensitive_payments: 'Das Konto von {shop} beim Zahlungsanbieter wurde geändert.',
  sensitive_settings:
    'Die Bankverbindung von {shop} oder die Webadressen, auf die Kunden weitergeleitet werden, wurden geändert.',
  sensitive_staff: 'Die Mitarbeiter von {shop} oder ihre Berechtigungen wurden geändert.',
  sensitive_by: 'Von',
  sensitive_key: 'einem API-Schlüssel',
  sensitive_at: 'Am',
  sensitive_next:
    'Wenn das nicht beabsichtigt war, beenden Sie alle Sitzungen und widerrufen Sie alle Schlüssel, die Sie nicht kennen. Machen Sie dann die Änderung rückgängig.',

  agent_subject: 'Sie haben einem Assistenten erlaubt, bei {shop} für Sie einzukaufen',
  agent:
    'Sie haben einem Assistenten erlaubt, bei {shop} für Sie einzukaufen. Sie müssen weiterhin jeden Kauf selbst bestätigen.',
  agent_name: 'Name laut Assistent (nicht geprüft)',
  agent_budget: 'Er darf ausgeben',
  agent_per_order: 'Höchstbetrag pro Kauf',
  agent_categories: 'Produktarten',
  agent_everything: 'alle',
  agent_until: 'Bis',
  agent_not_you:
    'Wenn Sie das nicht waren oder es sich anders überlegt haben, entziehen Sie dem Assistenten in Ihrem Konto den Zugang.',
  agent_button: 'Ihre Assistenten ansehen',

  webhook_subject: 'Ein Webhook von {shop} wurde deaktiviert',
  webhook_gone:
    'Der Webhook an {url} wurde deaktiviert. Der Empfänger hat mit 410 geantwortet: Er nimmt keine Ereignisse mehr an.',
  webhook_failing:
    'Der Webhook an {url} wurde deaktiviert. Fünf Tage lang ist jede Zustellung an den Empfänger fehlgeschlagen.',
  webhook_enable: 'Sobald der Empfänger wieder funktioniert, führen Sie diesen Befehl aus: {command}',
  webhook_replay: 'So stellen Sie die fehlgeschlagenen Ereignisse noch einmal zu: {command}',

  capture_subject: 'Die Zahlung für die Bestellung {number} konnte nicht eingezogen werden',
  capture_failed:
    'Der Zahlungsanbieter hat {amount} für die Bestellung {number} nicht eingezogen ({reason}). Der Betrag ist nur autorisiert, und die Autorisierung verfällt nach einigen Tagen.',
  capture_again: 'Sobald die Ursache behoben ist, führen Sie diesen Befehl aus: {command}',

  refund_subject: 'Eine Erstattung für die Bestellung {number} ist fehlgeschlagen',
  refund_failed:
    'Der Zahlungsanbieter hat {amount} für die Bestellung {number} nicht erstattet ({reason}). Das Geld ist noch bei Ihnen, und Sie können die Erstattung noch einmal versuchen.',
  refund_again: 'So versuchen Sie die Erstattung noch einmal: {command}',

  dispute_open_subject: 'Die Zahlung der Bestellung {number} wird angefochten',
  dispute_open:
    'Der Kunde hat {amount} der Zahlung für die Bestellung {number} bei seiner Bank angefochten. Die Bank hat das Geld zurückgeholt, und der Versand ist angehalten. Reichen Sie Ihre Nachweise über Ihr Konto beim Zahlungsanbieter ein. Die Anfechtung hat dort die Referenz {reference}.',
  dispute_due: 'Nachweise einreichen bis',
  dispute_won_subject: 'Sie haben die Anfechtung der Bestellung {number} gewonnen',
  dispute_won:
    'Die Bank hat über die Anfechtung {reference} der Bestellung {number} zu Ihren Gunsten entschieden. Sie haben {amount} zurückerhalten.',
  dispute_lost_subject: 'Sie haben die Anfechtung der Bestellung {number} verloren',
  dispute_lost:
    'Die Bank hat über die Anfechtung {reference} der Bestellung {number} zugunsten des Kunden entschieden. Er behält {amount}. Erstatten Sie diesen Betrag nicht noch einmal.',

  new_return_subject: 'Neue Rücksendung {number}',
  new_return:
    'Ein Kunde möchte Artikel der Bestellung {order} zurücksenden. Bitte genehmigen Sie die Rücksendung, oder lehnen Sie sie ab.',
  new_return_approved:
    'Ein Kunde sendet Artikel der Bestellung {order} zurück. Die Rücksendung wurde automatisch genehmigt.',

  new_withdrawal_subject: '{name} hat einen Vertrag widerrufen',
  new_withdrawal:
    'Ein Verbraucher hat die Bestellung {order} widerrufen. Noch nicht versandte Artikel sind gesperrt, bis Sie entscheiden. Versandte Artikel kommen als Rücksendung zurück. Die Erstattung ist bis zum {day} fällig.',
  new_withdrawal_unmatched:
    'Ein Verbraucher hat einen Vertrag widerrufen, aber keine Bestellung hat diese Nummer und E-Mail-Adresse. Bitte suchen Sie die Bestellung und ordnen Sie sie zu. Die Erstattung ist bis zum {day} fällig.',

  payment_kept_subject: 'Eine Zahlung über {amount} konnte nicht erstattet werden',
  payment_kept:
    'Eine Zahlung über {amount} gehört zu keiner Bestellung und muss erstattet werden. Der Zahlungsanbieter hat sie nicht vollständig erstattet ({reason}).',
  payment_kept_return:
    'Bitte erstatten Sie den Rest über Ihr Konto beim Zahlungsanbieter. Die Zahlung hat dort die Referenz {reference}.',
  reason_lost_card: 'die Karte wurde als verloren oder gestohlen gemeldet',
  reason_ended_card: 'die Karte ist abgelaufen oder gesperrt',
  reason_declined: 'die Bank hat abgelehnt',
  reason_insufficient_funds: 'das Guthaben auf Ihrem Konto reicht nicht aus',
  reason_already_refunded: 'die Zahlung wurde bereits erstattet',
  reason_no_account: 'das Konto, über das bezahlt wurde, ist nicht mehr erreichbar',
  reason_unknown: 'ohne Angabe eines Grundes',

  new_order_subject: 'Neue Bestellung {number}: {amount}',
  new_order: 'Die Bestellung {number} ist eingegangen.',
  new_order_customer: 'Kunde',
  new_order_phone: 'Telefon',
  new_order_details: 'Bestelldetails',
  new_order_note: 'Nachricht zur Bestellung: {note}',
  new_order_answer: 'Eine Antwort auf diese E-Mail geht an den Kunden.',
  new_order_command: 'Einzelheiten auf der Kommandozeile: {command}',
  new_order_panel: 'Im Händlerbereich öffnen',

  webhook_panel: 'Im Händlerbereich öffnen',

  low_stock_subject: 'Niedriger Bestand bei {shop}: {count, plural, one {# Artikel} other {# Artikel}}',
  low_stock: 'Der Bestand dieser Artikel ist auf Ihren Meldebestand gesunken:',
  low_stock_left: 'noch {count}',
  low_stock_more: 'Weitere Artikel: {count}',
  low_stock_panel: 'Den Bestand im Händlerbereich ansehen',
};
