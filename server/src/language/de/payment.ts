export const payment = {
  open: 'Ihre Zahlung ist noch nicht abgeschlossen',
  open_text:
    'Ihre Bestellung geht erst ein, wenn die Zahlung von {amount} abgeschlossen ist. Bis {until} sind die Artikel für Sie reserviert.',
  processing_text:
    'Der Zahlungsanbieter hat die Zahlung noch nicht bestätigt. Bitte warten Sie einen Moment: Es wird nichts doppelt abgebucht.',
  go_on: 'Weiter zur Zahlung',
  look_again: 'Zahlungsstatus prüfen',
  end: 'Zahlung abbrechen und Bestellung ändern',
  leave: 'Sie werden zur Zahlung weitergeleitet',
  leave_text: 'Sie bezahlen {amount} bei {host}. Danach kommen Sie in diesen Shop zurück.',
  leave_link: 'Weiter zu {host}',
  not_made: 'Die Zahlung wurde nicht ausgeführt',
  not_made_text:
    'Es wurde nichts bestellt und nichts abgebucht. Versuchen Sie es noch einmal, oder wählen Sie eine andere Zahlungsart.',
  was_cancelled: 'Die Zahlung wurde abgebrochen',
  was_cancelled_text:
    'Es wurde nichts bestellt und nichts abgebucht. Sie können Ihre Bestellung ändern oder die Zahlung noch einmal starten.',
  given_back: 'Die Zahlung konnte nicht abgeschlossen werden',
  given_back_text: 'Es wurde nichts bestellt. Falls Geld abgebucht wurde, erhalten Sie es automatisch zurück.',
  budget_in_use: 'Eine andere Zahlung läuft noch',
  budget_in_use_text:
    'Die andere Zahlung beansprucht das restliche Budget des Assistenten. Schließen Sie sie zuerst ab, oder brechen Sie sie ab. Hier wurde nichts bestellt.',
  test: 'Testzahlung',
  test_text:
    'Diese Seite simuliert die Seite eines Zahlungsanbieters, auf der eine Zahlung bestätigt wird. Es wird kein Geld abgebucht.',
  test_approve: 'Zahlung von {amount} bestätigen',
  test_decline: 'Ablehnen',
  test_back: 'Zurück, ohne zu bezahlen',
  test_decided: 'Ihre Auswahl wurde gespeichert',
  test_decided_link: 'Zurück zum Shop',
  test_with_question: 'Zahlung muss bestätigt werden',
  test_page: 'Zahlung auf der Seite des Zahlungsanbieters',
} as const;
