import type { notification as english } from '../en/notification.ts';

export const notification: Record<keyof typeof english, string> = {
  link_life: 'Ce lien ne fonctionne qu’une fois et reste valable {life}. Si la boutique demande un code, le voici :',
  code: 'Code',

  verify_subject: 'Confirmez votre adresse e-mail pour {shop}',
  verify_button: 'Confirmer l’adresse',
  verify_welcome: 'Bienvenue chez {shop}. Confirmez votre adresse e-mail pour activer votre compte.',
  verify_requested: 'Le compte a été demandé le {moment}. Il aura le mot de passe choisi à ce moment-là.',
  verify_several:
    'Un compte a été demandé plusieurs fois avec cette adresse. N’ouvrez que le lien de votre propre demande. Si vous ne savez pas lequel c’est, demandez un nouveau mot de passe à la boutique dès que l’adresse est confirmée.',
  verify_not_you:
    'Si vous n’avez pas demandé de compte à ce moment-là, n’ouvrez pas le lien : aucun compte ne sera créé.',
  verify_own: 'Votre compte chez {shop} utilise cette adresse e-mail. Confirmez-la pour pouvoir vous reconnecter.',

  registered_subject: 'Vous avez déjà un compte chez {shop}',
  registered: 'Quelqu’un, sans doute vous, a demandé un compte chez {shop} avec cette adresse. Vous en avez déjà un.',
  registered_next:
    'Si vous avez oublié le mot de passe, demandez-en un nouveau sur la page de connexion. Si ce n’était pas vous, ne faites rien.',

  change_subject: 'Confirmez votre nouvelle adresse e-mail pour {shop}',
  change: 'Confirmez cette adresse pour votre compte chez {shop}. D’ici là, l’ancienne reste valable.',
  change_not_you: 'Si vous n’avez rien demandé, ne faites rien.',
  taken_subject: 'Quelqu’un voulait utiliser votre adresse e-mail chez {shop}',
  taken: 'Quelqu’un voulait cette adresse pour un autre compte chez {shop}. Elle reste associée à votre compte.',
  taken_next: 'Si c’était vous, connectez-vous avec cette adresse à votre compte existant.',
  requested_subject: 'Nouvelle adresse e-mail pour votre compte chez {shop}',
  requested:
    '{shop} a saisi une autre adresse e-mail pour votre compte. Elle ne sera valable qu’une fois confirmée ; d’ici là, celle-ci reste valable.',
  requested_not_you: 'Si vous n’avez rien demandé, prévenez tout de suite la boutique.',
  changed_subject: 'Votre adresse e-mail chez {shop} a changé',
  changed: 'Votre compte chez {shop} a maintenant une autre adresse e-mail. Celle-ci n’est plus utilisée.',
  changed_not_you: 'Si vous ne l’avez pas changée, prévenez tout de suite la boutique.',

  reset_subject: 'Un nouveau mot de passe pour {shop}',
  reset: 'Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte chez {shop}.',
  reset_button: 'Choisir un nouveau mot de passe',
  reset_not_you: 'Si ce n’était pas vous, ne faites rien. Votre mot de passe ne change pas.',
  password_subject: 'Votre mot de passe chez {shop} a changé',
  password: 'Votre compte chez {shop} a un nouveau mot de passe.',
  password_not_you:
    'Si vous ne l’avez pas changé, demandez-en un nouveau sur la page de connexion et prévenez la boutique.',

  delay_subject: 'Connexion à {shop} temporairement ralentie',
  delay:
    'Quelqu’un a essayé plusieurs mots de passe erronés pour votre compte chez {shop}. Pour empêcher de nouveaux essais, la connexion est temporairement ralentie.',
  delay_staff_subject: 'Connexion au tableau de bord temporairement ralentie',
  delay_staff:
    'Quelqu’un a essayé plusieurs mots de passe erronés pour votre compte du tableau de bord. Pour empêcher de nouveaux essais, la connexion est temporairement ralentie.',
  delay_open: 'Pour vous connecter maintenant, ouvrez ce lien dans le navigateur où vous vous connectez :',
  delay_button: 'Se connecter sans attendre',
  delay_life: 'Ce lien ne fonctionne qu’une fois et reste valable {life}. Votre mot de passe reste nécessaire.',
  delay_code: 'Si la boutique demande un code, le voici :',
  delay_command: 'En ligne de commande, « commerce login --unlock » demande ce code :',
  delay_nothing: 'Si vous ne voulez pas vous connecter maintenant, ne faites rien.',

  invitation_subject: 'Vous êtes invité à gérer {shop}',
  invitation: '{name} vous invite à gérer {shop} ensemble.',
  invitation_button: 'Accepter l’invitation',
  invitation_life:
    'Ce lien ne fonctionne qu’une fois et reste valable {life}. Si vous avez déjà un accès, connectez-vous pour accepter ; sinon, choisissez un nom et un mot de passe.',
  invitation_command: 'En ligne de commande, « commerce staff accept » demande ce code :',
  invitation_nothing: 'Si vous ne savez pas de quoi il s’agit, ne faites rien.',

  staff_reset_subject: 'Un nouveau mot de passe pour le tableau de bord',
  staff_reset:
    '{name}, quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte du tableau de bord.',
  staff_reset_life:
    'Ce lien ne fonctionne qu’une fois et reste valable {life}. En ligne de commande, « commerce account reset-password » demande ce code :',
  staff_changed_subject: 'Votre compte du tableau de bord a été modifié',
  staff_password:
    'Votre compte du tableau de bord a un nouveau mot de passe. Toutes les sessions ouvertes ont été fermées.',
  staff_two_factor_on:
    'La connexion à votre compte demande désormais aussi un code de votre application d’authentification.',
  staff_two_factor_off: 'La connexion à votre compte ne demande plus de code d’une application d’authentification.',
  staff_recovery_codes:
    'Les codes de récupération de votre compte ont été remplacés. Les anciens ne fonctionnent plus.',
  staff_not_you:
    'Si ce n’était pas vous, demandez un nouveau mot de passe sur la page de connexion et prévenez les propriétaires de la boutique.',
  sensitive_subject: 'Une modification sensible chez {shop}',
  sensitive_keys: 'Les clés d’accès de {shop} ont été modifiées.',
  sensitive_payments: 'Le compte de paiement de {shop} a été modifié.',
  sensitive_settings:
    'Les coordonnées bancaires de {shop}, ou les adresses vers lesquelles ses clients sont renvoyés, ont été modifiées.',
  sensitive_staff: 'Les membres de l’équipe de {shop} ou leurs autorisations ont été modifiés.',
  sensitive_by: 'Par',
  sensitive_key: 'une clé API',
  sensitive_at: 'Le',
  sensitive_next:
    'Si ce n’était pas voulu, révoquez les sessions et les clés que vous ne reconnaissez pas, et annulez la modification.',

  agent_subject: 'Vous avez autorisé un assistant à acheter pour vous chez {shop}',
  agent:
    'Vous avez autorisé un assistant à acheter pour vous chez {shop}. Chaque achat attend toujours votre confirmation.',
  agent_name: 'Nom déclaré',
  agent_budget: 'Il peut dépenser',
  agent_per_order: 'Maximum par achat',
  agent_categories: 'Pour',
  agent_everything: 'toute la boutique',
  agent_until: 'Jusqu’au',
  agent_not_you: 'Si ce n’était pas vous, ou si vous avez changé d’avis, retirez-lui son accès dans votre compte.',
  agent_button: 'Voir vos assistants',

  webhook_subject: 'Un webhook de {shop} a été désactivé',
  webhook_gone: 'Le webhook vers {url} a été désactivé. Son destinataire a répondu 410 : il ne veut plus d’événements.',
  webhook_failing:
    'Le webhook vers {url} a été désactivé. Depuis cinq jours, toutes les livraisons à son destinataire ont échoué.',
  webhook_enable: 'Dès qu’il fonctionne à nouveau, exécutez : {command}',
  webhook_replay: 'Pour livrer à nouveau les événements en échec : {command}',

  capture_subject: 'Le montant de la commande {number} n’a pas été encaissé',
  capture_failed:
    'Le prestataire de paiement n’a pas encaissé {amount} pour la commande {number} ({reason}). Le montant est seulement autorisé, et cette autorisation expire après quelques jours.',
  capture_again: 'Une fois la cause résolue, exécutez : {command}',

  refund_subject: 'Un remboursement de la commande {number} a échoué',
  refund_failed:
    'Le prestataire de paiement n’a pas remboursé {amount} pour la commande {number} ({reason}). L’argent est resté chez vous et peut être remboursé à nouveau.',
  refund_again: 'Pour le rembourser à nouveau : {command}',

  payment_kept_subject: 'Un paiement de {amount} n’a pas pu être remboursé',
  payment_kept:
    'Un paiement de {amount} ne correspond à aucune commande et doit être remboursé, mais le prestataire de paiement ne l’a pas remboursé en totalité ({reason}).',
  payment_kept_return:
    'Veuillez rembourser le reste depuis votre compte chez le prestataire de paiement, où le paiement porte la référence {reference}.',
  reason_lost_card: 'la carte a été déclarée perdue ou volée',
  reason_ended_card: 'la carte a expiré ou a été annulée',
  reason_declined: 'la banque a refusé',
  reason_insufficient_funds: 'le solde de votre compte est insuffisant',
  reason_already_refunded: 'le paiement avait déjà été remboursé',
  reason_no_account: 'le compte qui a encaissé le paiement n’est plus accessible',
  reason_unknown: 'sans motif indiqué',

  new_order_subject: 'Nouvelle commande {number} : {amount}',
  new_order: 'Vous avez reçu une nouvelle commande : {number}.',
  new_order_payment: 'Paiement',
  new_order_customer: 'Client',
  new_order_phone: 'Téléphone',
  new_order_method: 'Livraison',
  new_order_note: 'Message du client : {note}',
  new_order_answer: 'Si vous répondez à cet e-mail, votre réponse est envoyée au client.',
  new_order_command: 'Tous les détails, en ligne de commande : {command}',
  new_order_panel: 'Ouvrir dans le panneau',

  webhook_panel: 'Ouvrir dans le panneau',

  low_stock_subject: 'Le stock s’épuise chez {shop} ({count})',
  low_stock: 'Le stock de ces articles a atteint votre seuil d’alerte :',
  low_stock_left: 'reste {count}',
  low_stock_more: 'Et {count} autres.',
  low_stock_panel: 'Voir le stock dans le panneau',
};
