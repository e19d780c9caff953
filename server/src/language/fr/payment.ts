export const payment = {
  open: 'Votre paiement n’est pas encore terminé',
  open_text:
    'Votre commande sera passée dès que le paiement de {amount} aura été effectué. Jusqu’au {until}, les articles vous sont réservés.',
  processing_text:
    'Le prestataire de paiement n’a pas encore confirmé le paiement. Patientez un instant : vous ne serez pas débité deux fois.',
  go_on: 'Continuer vers le paiement',
  look_again: 'Vérifier l’état du paiement',
  end: 'Annuler le paiement et modifier la commande',
  leave: 'Redirection vers le paiement',
  leave_text: 'Vous payez {amount} sur {host}. Ensuite, vous revenez dans cette boutique.',
  leave_link: 'Continuer vers {host}',
  not_made: 'Le paiement n’a pas abouti',
  not_made_text: 'Rien n’a été commandé ni débité. Réessayez, ou choisissez un autre moyen de paiement.',
  was_cancelled: 'Le paiement a été annulé',
  was_cancelled_text: 'Rien n’a été commandé ni débité. Vous pouvez modifier votre commande ou réessayer de payer.',
  given_back: 'Le paiement n’a pas pu aboutir',
  given_back_text: 'Rien n’a été commandé. Si de l’argent a été débité, il vous sera remboursé automatiquement.',
  budget_in_use: 'Un autre paiement est en cours',
  budget_in_use_text:
    'Cet autre paiement utilise le reste du budget de l’assistant. Terminez-le ou annulez-le d’abord. Rien n’a été commandé ici.',
  test: 'Paiement de test',
  test_text:
    'Cette page simule celle d’un prestataire de paiement, où l’on confirme un paiement. Aucun montant n’est débité.',
  test_approve: 'Accepter le paiement de {amount}',
  test_decline: 'Refuser',
  test_back: 'Revenir sans payer',
  test_decided: 'Votre choix est enregistré',
  test_decided_link: 'Revenir à la boutique',
  test_with_question: 'Paiement à confirmer',
  test_page: 'Paiement sur la page du prestataire de paiement',
} as const;
