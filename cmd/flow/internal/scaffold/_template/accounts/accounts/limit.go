package accounts

import (
	"context"
	"fmt"
	"time"
)

// A limit is how often something may happen within some time. All processes count in the
// database.
type limit struct {
	name string
	most int64
	per  time.Duration
}

// The limits of an account hold whether there is such an account or not, so that nobody learns
// that from them.
//
// Somebody may use up the limit signInsOfAccount of another user, who can sign in by a link
// then. Somebody may also use up mailsOfAddress of that user, by asking for links: the last of
// those links must still work until mails are sent to the user again. So mailsOfAddress must
// last no longer than the link that lives shortest. The mails that a user asks for to change
// the address are counted apart, as mailsOfNewAddress, since such a mail may have no link.
var (
	signInsOfClient   = limit{"sign-in from ", 50, 15 * time.Minute} // without those that were right
	signInsOfAccount  = limit{"sign-in as ", 10, 15 * time.Minute}
	mailsOfClient     = limit{"mail from ", 20, time.Hour}
	mailsOfAddress    = limit{"mail to ", 5, 15 * time.Minute}
	mailsOfNewAddress = limit{"mail to new address ", 5, 15 * time.Minute}
)

// A LimitError says that something has happened too often.
type LimitError struct{ Wait time.Duration }

func (e *LimitError) Error() string {
	return fmt.Sprintf("too many attempts: try again in %d minutes", int(e.Wait.Minutes())+1)
}

// HTTPStatus is what flow answers with.
func (e *LimitError) HTTPStatus() int { return 429 }

// count counts before something happens, and not after it has failed: many attempts at the
// same moment would all pass else.
func (a *Accounts) count(ctx context.Context, l limit, who string) error {
	now := a.now()
	var used, ends int64
	err := a.db.QueryRowContext(ctx, `
		INSERT INTO limits (name, used, ends) VALUES ($1, 1, $2)
		ON CONFLICT (name) DO UPDATE SET
			used = CASE WHEN limits.ends <= $3 THEN 1 ELSE limits.used + 1 END,
			ends = CASE WHEN limits.ends <= $3 THEN excluded.ends ELSE limits.ends END
		RETURNING used, ends`, l.name+who, now.Add(l.per).UnixMilli(), now.UnixMilli()).Scan(&used, &ends)
	if err == nil && used > l.most {
		return &LimitError{time.UnixMilli(ends).Sub(now)}
	}
	return err
}

// takeBack takes back one attempt, which was right. If it took back those of others, they would
// learn from that when the owner signs in, and that there is one.
func (tx *transaction) takeBack(l limit, who string) error {
	return tx.exec("UPDATE limits SET used = used - 1 WHERE name = $1", l.name+who)
}
