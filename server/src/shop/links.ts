/** The addresses in mails. They begin with the configured address, whatever host a request named. */
export function verificationLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/verify-email/${token}`;
}

export function resetLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/reset/${token}`;
}
