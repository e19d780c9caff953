import type { notification as english } from '../en/notification.ts';

export const notification: Record<keyof typeof english, string> = {
  link_life:
    'Ce lien ne fonctionne qu’une fois et reste valable {life}. Si la boutique demande un code, saisissez celui-ci :',
  code: 'Code',

  verify_subject: 'Confirmez votre adresse e-mail pour {shop}',
  verify_button: 'Confirmer l’adresse',
  verify_welcome: 'Bienvenue chez {shop}. Confirmez votre adresse e-mail pour activer votre compte.',
  verify_requested:
    'La demande de création du compte a été faite le {moment}. Le compte aura le mot de passe choisi à ce moment-là.',
  verify_several:
    'La création d’un compte a été demandée plusieurs fois avec cette adresse. N’ouvrez que le lien de votre propre demande. Si vous ne savez pas lequel est le vôtre, confirmez l’adresse, puis demandez un nouveau mot de passe à la boutique.',
  verify_not_you:
    'Si vous n’avez pas demandé la création d’un compte à ce moment-là, n’ouvrez pas le lien : aucun compte ne sera créé.',
  verify_own: 'Votre compte chez {shop} utilise cette adresse e-mail. Confirmez-la pour pouvoir vous reconnecter.',

  registered_subject: 'Vous avez déjà un compte chez {shop}',
  registered:
    'Quelqu’un, sans doute vous, a voulu créer un compte chez {shop} avec cette adresse. Vous en avez déjà un.',
  registered_next:
    'Si vous avez oublié le mot de passe, demandez-en un nouveau sur la page de connexion. Si ce n’était pas vous, vous n’avez rien à faire.',

  change_subject: 'Confirmez votre nouvelle adresse e-mail pour {shop}',
  change: 'Confirmez cette adresse pour votre compte chez {shop}. D’ici là, l’ancienne reste valable.',
  change_not_you: 'Si vous n’êtes pas à l’origine de cette demande, vous n’avez rien à faire.',
  taken_subject: 'Quelqu’un a voulu utiliser votre adresse e-mail chez {shop}',
  taken:
    'Quelqu’un a voulu utiliser cette adresse pour un autre compte chez {shop}. Elle reste associée à votre compte.',
  taken_next: 'Si c’était vous, connectez-vous avec cette adresse à votre compte existant.',
  requested_subject: 'Nouvelle adresse e-mail pour votre compte chez {shop}',
  requested:
    '{shop} a saisi une autre adresse e-mail pour votre compte. La nouvelle adresse ne sera valable qu’une fois confirmée ; d’ici là, votre adresse actuelle reste valable.',
  requested_not_you: 'Si vous n’êtes pas à l’origine de cette demande, prévenez tout de suite la boutique.',
  changed_subject: 'Votre adresse e-mail chez {shop} a été modifiée',
  changed:
    'Votre compte chez {shop} a maintenant une autre adresse e-mail. L’adresse à laquelle vous recevez cet e-mail n’est plus utilisée.',
  changed_not_you: 'Si ce n’est pas vous qui l’avez modifiée, prévenez tout de suite la boutique.',

  reset_subject: 'Choisissez un nouveau mot de passe pour {shop}',
  reset: 'Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte chez {shop}.',
  reset_button: 'Choisir un nouveau mot de passe',
  reset_not_you: 'Si ce n’était pas vous, vous n’avez rien à faire. Votre mot de passe ne change pas.',
  password_subject: 'Votre mot de passe chez {shop} a été modifié',
  password: 'Le mot de passe de votre compte chez {shop} a été modifié.',
  password_not_you:
    'Si ce n’est pas vous qui l’avez modifié, demandez-en un nouveau sur la page de connexion et prévenez la boutique.',

  delay_subject: 'Connexion à {shop} temporairement retardée',
  delay:
    'Quelqu’un a essayé plusieurs mots de passe erronés pour votre compte chez {shop}. Pour empêcher de nouveaux essais, la connexion est temporairement retardée.',
  delay_staff_subject: 'Connexion à l’espace marchand temporairement retardée',
  delay_staff:
    'Quelqu’un a essayé plusieurs mots de passe erronés pour votre compte marchand. Pour empêcher de nouveaux essais, la connexion est temporairement retardée.',
  delay_open: 'Pour vous connecter maintenant, ouvrez ce lien dans le navigateur où vous voulez vous connecter :',
  delay_button: 'Se connecter sans attendre',
  delay_life: 'Ce lien ne fonctionne qu’une fois et reste valable {life}. Votre mot de passe reste nécessaire.',
  delay_code: 'Si la boutique demande un code, saisissez celui-ci :',
  delay_command: 'En ligne de commande, « commerce login --unlock » demande ce code :',
  delay_nothing: 'Si vous ne voulez pas vous connecter maintenant, vous n’avez rien à faire.',

  invitation_subject: 'Invitation à gérer {shop}',
  invitation: '{name} vous invite à participer à la gestion de {shop}.',
  invitation_button: 'Accepter l’invitation',
  invitation_life:
    'Ce lien ne fonctionne qu’une fois et reste valable {life}. Si vous avez déjà un compte, connectez-vous pour accepter l’invitation ; sinon, choisissez un nom et un mot de passe.',
  invitation_nothing: 'Si vous ne savez pas de quoi il s’agit, vous pouvez ignorer cet e-mail.',

  staff_reset_subject: 'Choisissez un nouveau mot de passe pour l’espace marchand',
  staff_reset:
    'Bonjour {name}. Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte marchand.',
  staff_reset_life:
    'Ce lien ne fonctionne qu’une fois et reste valable {life}. En ligne de commande, « commerce account reset-password » demande ce code :',
  staff_changed_subject: 'Votre compte marchand a été modifié',
  staff_password: 'Votre compte marchand a un nouveau mot de passe. Toutes les sessions ouvertes ont été fermées.',
  staff_two_factor_on:
    'La connexion à votre compte marchand demande désormais aussi un code fourni par votre application d’authentification.',
  staff_two_factor_off:
    'La connexion à votre compte marchand ne demande plus de code fourni par une application d’authentification.',
  staff_recovery_codes:
    'Les codes de récupération de votre compte marchand ont été remplacés. Les anciens ne fonctionnent plus.',
  staff_not_you:
    'Si ce n’était pas vous, demandez un nouveau mot de passe sur la page de connexion et prévenez les propriétaires de la boutique.',
  sensitive_subject: 'Modification touchant à la sécurité de {shop}',
  sensitive_assistants: 'Un membre de l’équipe de {shop} a connecté un assistant.',
  sensitive_keys: 'Les clés d’accès de {shop} ont été modifiées.',
  sensitive_payments: 'Le compte de {shop} chez le prestataire de paiement a été modifié.',
  sensitive_settings:
    'Les coordonnées bancaires de {shop}, ou les adresses web vers lesquelles ses clients sont redirigés, ont été modifiées.',
  sensitive_staff: 'Les membres de l’équipe de {shop} ou leurs autorisations ont été modifiés.',
  sensitive_by: 'Par',
  sensitive_key: 'une clé API',
  sensitive_at: 'Le',
  sensitive_next:
    'Si cette modification n’était pas voulue, annulez-la et révoquez les sessions et les clés que vous ne reconnaissez pas.',

  agent_subject: 'Vous avez autorisé un assistant à acheter pour vous chez {shop}',
  agent:
    'Vous avez autorisé un assistant à acheter pour vous chez {shop}. Vous devez toujours confirmer chaque achat vous-même.',
  agent_name: 'Nom déclaré (non vérifié)',
  agent_budget: 'Il peut dépenser',
  agent_per_order: 'Maximum par achat',
  agent_categories: 'Types de produits',
  agent_everything: 'tous',
  agent_until: 'Jusqu’au',
  agent_not_you:
    'Si ce n’était pas vous, ou si vous avez changé d’avis, retirez son accès à cet assistant depuis votre compte.',
  agent_button: 'Voir vos assistants',

  webhook_subject: 'Un webhook de {shop} a été désactivé',
  webhook_gone:
    'Le webhook vers {url} a été désactivé. Son destinataire a répondu 410 : il n’accepte plus d’événements.',
  webhook_failing:
    'Le webhook vers {url} a été désactivé. Depuis cinq jours, tous les envois à son destinataire ont échoué.',
  webhook_enable: 'Dès que le destinataire fonctionne à nouveau, exécutez : {command}',
  webhook_replay: 'Pour renvoyer les événements en échec, exécutez : {command}',

  capture_subject: 'Le montant de la commande {number} n’a pas été encaissé',
  capture_failed:
    'Le prestataire de paiement n’a pas encaissé {amount} pour la commande {number} ({reason}). Le montant est seulement autorisé, et cette autorisation expire après quelques jours.',
  capture_again: 'Une fois le problème résolu, exécutez : {command}',

  refund_subject: 'Un remboursement de la commande {number} a échoué',
  refund_failed:
    'Le prestataire de paiement n’a pas remboursé {amount} pour la commande {number} ({reason}). Vous avez toujours l’argent et pouvez relancer le remboursement.',
  refund_again: 'Pour relancer le remboursement, exécutez : {command}',

  dispute_open_subject: 'Le paiement de la commande {number} est contesté',
  dispute_open:
    'Le client conteste {amount} du paiement de la commande {number} auprès de sa banque, qui a repris l’argent. L’expédition est suspendue. Envoyez vos justificatifs depuis votre compte chez le prestataire de paiement, où le litige porte la référence {reference}.',
  dispute_due: 'Justificatifs à envoyer au plus tard le',
  dispute_won_subject: 'Vous avez gagné le litige sur la commande {number}',
  dispute_won:
    'La banque a tranché le litige {reference} sur la commande {number} en votre faveur. Vous avez récupéré {amount}.',
  dispute_lost_subject: 'Vous avez perdu le litige sur la commande {number}',
  dispute_lost:
    'La banque a tranché le litige {reference} sur la commande {number} en faveur du client, qui garde {amount}. Ne remboursez pas ce montant une seconde fois.',

  new_return_subject: 'Nouveau retour {number}',
  new_return: 'Un client souhaite retourner des articles de la commande {order}. Acceptez ou refusez le retour.',
  new_return_approved:
    'Un client retourne des articles de la commande {order}. Le retour a été accepté automatiquement.',

  new_withdrawal_subject: '{name} s’est rétracté(e)',
  new_withdrawal:
    'Un client s’est rétracté pour la commande {order}. Les articles non expédiés sont bloqués jusqu’à votre décision. Les articles déjà expédiés font l’objet d’un retour. Le remboursement est dû au plus tard le {day}.',
  new_withdrawal_unmatched:
    'Un client s’est rétracté, mais aucune commande ne correspond à ce numéro et à cette adresse e-mail. Recherchez la commande et associez-la. Le remboursement est dû au plus tard le {day}.',

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
  new_order_customer: 'Client',
  new_order_phone: 'Téléphone',
  new_order_details: 'Détails de la commande',
  new_order_note: 'Message du client : {note}',
  new_order_answer: 'Si vous répondez à cet e-mail, votre réponse est envoyée au client.',
  new_order_command: 'Tous les détails, en ligne de commande : {command}',
  new_order_panel: 'Ouvrir dans l’espace marchand',

  webhook_panel: 'Ouvrir dans l’espace marchand',

  low_stock_subject: 'Le stock s’épuise chez {shop} : {count, plural, one {# article} other {# articles}}',
  low_stock: 'Le stock de ces articles a atteint votre seuil d’alerte :',
  low_stock_left: 'il en reste {count}',
  low_stock_more: 'Autres articles : {count}',
  low_stock_panel: 'Voir le stock dans l’espace marchand',
};
