/** The options of a choice of `withdrawal_exempt`. */
export function WithdrawalOptions() {
  return (
    <>
      <option value="none">Applies</option>
      <option value="custom_made">Excluded: made to order</option>
      <option value="perishable">Excluded: perishable</option>
      <option value="sealed_hygiene">Excluded once unsealed: hygiene</option>
      <option value="digital">Excluded once begun: digital content</option>
    </>
  );
}
