package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/wneessen/go-mail"

	"example.com/newapp/accounts"
)

// sender returns a function that sends mails by the server of a URL:
//
//	smtps://user:password@mail.example    TLS, port 465
//	smtp://user:password@mail.example     begins without, and changes to TLS, port 587
//	smtp://localhost:25                   no TLS, since it does not leave this machine
func sender(server, from string) (func(context.Context, accounts.Mail) error, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
		return nil, errors.New("SMTP_URL is no URL such as smtps://user:password@mail.example") // without the text, which has a password
	}
	var options []mail.Option
	switch {
	case u.Scheme == "smtps":
		options = append(options, mail.WithSSL(), mail.WithPort(465))
	case u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1":
		options = append(options, mail.WithTLSPolicy(mail.NoTLS), mail.WithPort(25))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory), mail.WithPort(587))
	}
	if u.Port() != "" {
		port, err := strconv.Atoi(u.Port())
		if err != nil {
			return nil, err
		}
		options = append(options, mail.WithPort(port))
	}
	if u.User != nil {
		password, _ := u.User.Password()
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(u.User.Username()), mail.WithPassword(password))
	}
	if err := mail.NewMsg().From(from); err != nil {
		return nil, fmt.Errorf("-from: %w", err)
	}
	if _, err := mail.NewClient(u.Hostname(), options...); err != nil {
		return nil, err
	}
	return func(ctx context.Context, m accounts.Mail) error {
		msg := mail.NewMsg()
		if err := msg.From(from); err != nil {
			return err
		}
		if err := msg.To(m.To); err != nil {
			return err
		}
		msg.Subject(m.Subject)
		msg.SetBodyString(mail.TypeTextPlain, m.Text)
		msg.SetMessageIDWithValue(m.ID + "@newapp") // the same if it is sent twice
		msg.SetGenHeader("Auto-Submitted", "auto-generated")
		client, err := mail.NewClient(u.Hostname(), options...)
		if err != nil {
			return err
		}
		return client.DialAndSendWithContext(ctx, msg)
	}, nil
}
