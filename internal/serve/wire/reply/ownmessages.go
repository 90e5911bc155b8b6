package reply

// OwnMessages are the messages about fields that flow itself wrote for this request, with their
// codes. A flow.Invalid has only the texts, and the application may change it.
type OwnMessages map[string]OwnMessage

// An OwnMessage is one of them.
type OwnMessage struct{ Code, Text string }

// CodesOf returns the codes of those fields whose messages are still the ones that flow wrote.
func (own OwnMessages) CodesOf(fields map[string]string) (codes map[string]string) {
	for field, text := range fields {
		if s := own[field]; s.Code != "" && s.Text == text {
			if codes == nil {
				codes = map[string]string{}
			}
			codes[field] = s.Code
		}
	}
	return codes
}
