package scaffold

import (
	"testing"

	"github.com/matryer/is"

	"example.com/flow/internal/serve/routes/routetree"
	"example.com/flow/internal/testkit/flowtest"
)

func TestHandlerNames(t *testing.T) {
	for _, tt := range []struct{ path, method, want, second, title string }{
		{"index", "GET", "showHome", "showIndex", "Home"},
		{"store", "POST", "createHome", "createStore", "Home"},
		{"about", "GET", "showAbout", "showAbout", "About"},
		{"about-us", "GET", "showAboutUs", "showAboutUs", "About us"},
		{"users/index", "GET", "listUsers", "listUsersIndex", "Users"},
		{"users", "GET", "listUsers", "listUsers", "Users"},
		{"users/index", "POST", "createUser", "createUsersIndex", "Users"},
		{"users/store", "POST", "createUser", "createUsersStore", "Users"},
		{"users/[id]", "GET", "showUser", "showUserByID", "User"},
		{"users/[id]", "PUT", "updateUser", "updateUserByID", "User"},
		{"users/[id]", "PATCH", "patchUser", "patchUserByID", "User"},
		{"users/[id=int]", "DELETE", "deleteUser", "deleteUserByID", "User"},
		{"users/[id]", "HEAD", "headUser", "headUserByID", "User"},
		{"users/[id]", "OPTIONS", "optionsUser", "optionsUserByID", "User"},
		{"users/[id]", "ANY", "answerUser", "answerUserByID", "User"},
		{"users/[id]/edit", "GET", "showUserEdit", "showUserEditByID", "Edit"},
		{"users/[id]/posts/[post]", "GET", "showUserPost", "showUserPostByIDPost", "Post"},
		{"blog/[year]/[slug]", "GET", "showBlog", "showBlogByYearSlug", "Blog"},
		{"login", "POST", "postLogin", "postLogin", "Login"},
		{"(admin)/reports", "GET", "listReports", "listReports", "Reports"},
		{"api/users/[id]", "GET", "showAPIUser", "showAPIUserByID", "User"},
		{"[slug]", "GET", "showSlug", "showSlugBySlug", "Slug"},
		{"[[lang]]/about", "GET", "showAbout", "showAboutByLang", "About"},
		{"docs/[...path]", "GET", "showDoc", "showDocByPath", "Doc"},
		{"feed.xml", "GET", "showFeedXML", "showFeedXML", "Feed.xml"},
		{"@!/index", "GET", "showHome", "showIndex", "@!"},
		{"straße", "GET", "showStraße", "showStraße", "Straße"},
		{"état", "GET", "showÉtat", "showÉtat", "État"},
		{"categories/[id]", "GET", "showCategory", "showCategoryByID", "Category"},
		{"boxes/[id]", "GET", "showBox", "showBoxByID", "Box"},
		{"movies/[id]", "GET", "showMovie", "showMovieByID", "Movie"},
		{"people", "GET", "listPeople", "listPeople", "People"},
		{"people/[id]", "GET", "showPerson", "showPersonByID", "Person"},
		{"news/[id]", "GET", "showNews", "showNewsByID", "News"},
		{"status", "GET", "showStatus", "showStatus", "Status"},
		{"address/[id]", "GET", "showAddress", "showAddressByID", "Address"},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			is := is.New(t)
			tree := routetree.Parse(flowtest.Files("router/"+tt.path+".http"), nil)
			is.Equal(len(tree.Routes), 1)
			names := handlerNames(tree.Routes[0], tt.method)
			is.Equal(names[0], tt.want)
			is.Equal(names[1], tt.second)
			is.Equal(title(tree.Routes[0]), tt.title)
		})
	}
}
