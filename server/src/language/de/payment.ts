/** Paying through a provider. */
export const payment = {
  open: 'Ihre Zahlung ist noch nicht abgeschlossen',
  open_text:
    'Ihre Bestellung wird aufgegeben, sobald die Zahlung von {amount} ausgeführt ist. Bis {until} sind die Artikel für Sie reserviert.',
  processing_text:
    'Der Zahlungsanbieter hat noch nicht geantwortet. Es wird nichts doppelt abgebucht, wenn Sie einen Moment warten.',
  go_on: 'Weiter zur Zahlung',
  look_again: 'Stand der Zahlung ansehen',
  end: 'Zahlung abbrechen und etwas ändern',
  leave: 'Weiter zur Zahlung',
  leave_text: 'Die Zahlung von {amount} erfolgt bei {host}. Danach kommen Sie in diesen Shop zurück.',
  leave_link: 'Weiter zu {host}',
  not_made: 'Die Zahlung wurde nicht ausgeführt',
  not_made_text:
    'Es wurde nichts bestellt und nichts abgebucht. Versuchen Sie es noch einmal, oder wählen Sie eine andere Zahlungsart.',
  was_cancelled: 'Die Zahlung wurde abgebrochen',
  was_cancelled_text:
    'Es wurde nichts bestellt und nichts abgebucht. Sie können Ihre Bestellung ändern oder sie bezahlen.',
  given_back: 'Die Zahlung konnte nicht abgeschlossen werden',
  given_back_text: 'Es wurde nichts bestellt. Falls Geld abgebucht wurde, erhalten Sie es automatisch zurück.',
  budget_in_use: 'Eine andere Zahlung läuft noch',
  budget_in_use_text:
    'Sie braucht den Rest vom Budget des Assistenten. Schließen Sie jene Zahlung zuerst ab, oder brechen Sie sie ab. Hier wurde nichts bestellt.',
  test: 'Testzahlung',
  test_text:
    'Diese Seite simuliert die Seite eines Zahlungsanbieters, auf der eine Zahlung bestätigt wird. Es wird kein Geld abgebucht.',
  test_approve: 'Zahlung von {amount} bestätigen',
  test_decline: 'Ablehnen',
  test_back: 'Zurück, ohne zu bezahlen',
  test_decided: 'Sie haben entschieden',
  test_decided_link: 'Zurück zum Shop',
  test_with_question: 'Fragt Sie nach einer Bestätigung',
  test_page: 'Auf der Seite des Anbieters bezahlen',
} as const;
