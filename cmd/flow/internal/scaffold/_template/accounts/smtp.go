package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	mail "github.com/wneessen/go-mail"

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
	case isLocal(u.Hostname()):
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
	checked := mail.NewMsg()
	if err := checked.From(from); err != nil {
		return nil, fmt.Errorf("-from: %w", err)
	}
	address := checked.GetFrom()[0].Address
	domain := address[strings.LastIndexByte(address, '@'):]
	if _, err := mail.NewClient(u.Hostname(), options...); err != nil {
		return nil, err
	}
	return func(ctx context.Context, m accounts.Mail) error {
		msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
		if err := msg.From(from); err != nil {
			return err
		}
		if err := msg.To(m.To); err != nil {
			return err
		}
		msg.Subject(m.Subject)
		msg.SetBodyString(mail.TypeTextPlain, m.Text)
		msg.SetMessageIDWithValue(m.ID + domain) // the same if it is sent twice
		msg.SetGenHeader("Auto-Submitted", "auto-generated")
		client, err := mail.NewClient(u.Hostname(), options...)
		if err != nil {
			return err
		}
		err = client.DialAndSendWithContext(ctx, msg)
		switch answer := (*mail.SendError)(nil); {
		case msg.IsDelivered():
			return nil // if only the farewell has failed, it must not be sent again
		case errors.As(err, &answer) && answer.ErrorCode() >= 500 && answer.Reason != mail.ErrSMTPMailFrom:
			return fmt.Errorf("%w: %w", accounts.ErrRefused, err) // what is wrong with -from can be mended meanwhile
		}
		return err
	}, nil
}
